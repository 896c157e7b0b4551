import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { type OpenStore, stores } from '#tests/support/stores.ts';
import { until, type TestServer } from '#tests/support/test-server.ts';

/** Uploads that fail: a refusal comes before the bytes are read, and an aborted upload leaves nothing behind. */
const kinds = engines.flatMap((engine) => stores.map((store) => ({ engine, store })));
const SIZE = 4_000_000;
const BOUNDARY = 'a-boundary-of-ours';
const FORM = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=""; filename="blob"\r\nContent-Type: text/plain\r\n\r\n`;

describe.each(kinds)('uploads that fail, on $engine.name, files on $store.name', ({ engine, store }) => {
  let opened: OpenStore;
  let server: TestServer;
  let service: SupabaseClient;

  beforeAll(async () => {
    opened = await store.open();
    server = await engine.open(opened.env);
    service = server.client(server.app.keys.serviceRoleKey);
    await service.storage.createBucket('files', { public: false, fileSizeLimit: SIZE, allowedMimeTypes: ['text/*'] });
    await service.storage.from('files').upload('there.txt', 'x');
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await opened.close();
  });

  /** Returns every file in the store, finished or not. */
  async function stored(): Promise<string[]> {
    if (opened.service) return [...opened.service.objects.keys()].toSorted();
    const found = await readdir(join(server.dataDir, 'objects'), { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
      .toSorted();
  }
  const notes = async (): Promise<number> =>
    (await server.app.db.query('select 1 from storage.deletion_queue')).rows.length;

  type Sent = {
    bucket?: string;
    name?: string;
    type?: string;
    size?: number;
    token?: string;
    begin?: string;
    bytes?: number;
    cut?: boolean;
  };
  /** Sends the beginning of a body and returns the error message; `cut` closes the connection instead. */
  function begin({
    bucket = 'files',
    name = 'new.txt',
    type = 'text/plain',
    size = SIZE,
    token = server.app.keys.serviceRoleKey,
    begin: first = '',
    bytes = 1_000,
    cut = false,
  }: Sent): Promise<string> {
    return new Promise((resolve) => {
      const sending = request(`${server.url}/storage/v1/object/${bucket}/${name}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': type, 'content-length': size },
      });
      sending.on('response', (answer) => {
        let body = '';
        answer.on('data', (part: Buffer) => void (body += part.toString()));
        answer.on('end', () => {
          sending.destroy();
          resolve(String(JSON.parse(body).message));
        });
      });
      sending.on('error', () => resolve('the connection closed'));
      sending.write(first);
      sending.write(Buffer.alloc(bytes, 'x'), () => {
        if (cut) setTimeout(() => sending.destroy(), 200);
      });
    });
  }

  test('a refusal is sent before the bytes have arrived', async () => {
    const before = await stored();
    const guest = server.app.keys.anonKey;
    expect(await begin({ size: SIZE + 1 })).toBe('The object exceeded the maximum allowed size');
    expect(await begin({ type: 'image/png' })).toBe('mime type image/png is not supported');
    expect(await begin({ bucket: 'none' })).toBe('Bucket not found');
    expect(await begin({ name: 'a//b' })).toBe('Invalid key');
    expect(await begin({ name: 'there.txt' })).toBe('The resource already exists');
    expect(await begin({ token: guest })).toContain('row-level security');
    expect(await begin({ token: 'x.y.z' })).toBe('Invalid Compact JWS');
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    expect(await begin({ token: guest, type, begin: FORM })).toContain('row-level security');
    expect(await begin({ type, begin: FORM.replace('text/plain', 'image/png') })).toBe(
      'mime type image/png is not supported',
    );
    expect([await stored(), await notes()]).toEqual([before, 0]);
  });

  test.each([
    ['a raw body', 'text/plain', ''],
    ['a form', `multipart/form-data; boundary=${BOUNDARY}`, FORM],
  ])('%s that is aborted leaves nothing', async (_, type, first) => {
    const before = await stored();
    expect(await begin({ type, begin: first, bytes: 1_000_000, cut: true })).toBe('the connection closed');
    await until(async () => (await notes()) === 0 && (await stored()).length === before.length);
    expect(await stored()).toEqual(before);
    expect((await service.storage.from('files').exists('new.txt')).data).toBe(false);
  });

  test('an upload without a length stops at the size limit of the bucket', async () => {
    const before = await stored();
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(500_000)), // never ends
    });
    const { error } = await service.storage.from('files').upload('endless.txt', stream, { contentType: 'text/plain' });
    expect(error).toMatchObject({ message: 'The object exceeded the maximum allowed size' });
    expect([await stored(), await notes()]).toEqual([before, 0]);
  });

  test.each([
    ['no end', `${FORM}text`],
    [
      'no file',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="cacheControl"\r\n\r\n60\r\n--${BOUNDARY}--\r\n`,
    ],
    [
      'a field too long',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n${'x'.repeat(20_000)}\r\n${FORM}x\r\n--${BOUNDARY}--\r\n`,
    ],
    [
      'metadata that is none',
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n[1]\r\n${FORM}x\r\n--${BOUNDARY}--\r\n`,
    ],
    ['headers without end', `--${BOUNDARY}\r\n${'X: y\r\n'.repeat(5_000)}`],
    ['another boundary', `--other\r\n\r\nx\r\n--other--\r\n`],
    ['parts without end', `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`.repeat(300)],
  ])('a form with %s is refused and leaves nothing', async (_, body) => {
    const before = await stored();
    const answer = await fetch(`${server.url}/storage/v1/object/files/form.txt`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.app.keys.serviceRoleKey}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      },
      body,
    });
    expect([answer.status >= 400 && answer.status < 500, await stored(), await notes()]).toEqual([true, before, 0]);
  });

  test('files without a row are deleted within a day, and no others', async () => {
    const bucket = service.storage.from('files');
    await bucket.upload('stays.txt', 'x');
    const before = await stored();
    await bucket.upload('lost.txt', 'x');
    // Simulates a crash, or a database that is older than its files.
    await server.app.db.query(`delete from storage.objects where name = 'lost.txt'`);
    await server.app.db.query('delete from storage.deletion_queue');
    server.advance(3_601_000);
    await server.settle();
    expect((await stored()).length).toBe(before.length + 1); // an upload may still be running
    server.advance(25 * 3_600_000);
    for (let round = 0; round < 2; round += 1) await server.settle();
    server.advance(-25 * 3_600_000 - 3_601_000);
    expect(await stored()).toEqual(before);
    expect(await (await bucket.download('stays.txt')).data?.text()).toBe('x');
  });
});
