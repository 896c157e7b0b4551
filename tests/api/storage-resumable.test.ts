import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import { type OpenStore, stores } from '#tests/support/stores.ts';
import { type Customer, until, type TestServer } from '#tests/support/test-server.ts';

/** tus 1.0 as tus-js-client uses it with `/storage/v1/upload/resumable`, with Supabase's headers and metadata. */
const SCHEMA = `
create policy "own folder, all" on storage.objects for all to authenticated
  using (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text)
`;

const kinds = engines.flatMap((engine) => stores.map((store) => ({ engine, store })));

describe.each(kinds)('resumable uploads on $engine.name, files on $store.name', ({ engine, store }) => {
  let opened: OpenStore;
  let server: TestServer;
  let alex: Customer;
  let other: Customer;

  beforeAll(async () => {
    opened = await store.open();
    server = await engine.open(opened.env);
    await runScript(server, SCHEMA);
    alex = await server.addCustomer();
    other = await server.addCustomer();
    const service = server.client(server.app.keys.serviceRoleKey);
    await service.storage.createBucket('files', {
      public: false,
      fileSizeLimit: '1mb',
      allowedMimeTypes: ['text/plain'],
    });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await opened.close();
  });

  type More = { token?: string | null; headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> | string };
  async function ask(method: string, url: string, { token = alex.token, headers = {}, body }: More = {}) {
    const answer = await fetch(new URL(url, `${server.url}/storage/v1/upload/resumable`), {
      method,
      headers: {
        'tus-resumable': '1.0.0',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  const path = (name: string): string => `${alex.id}/${name}`;
  const encodeMetadata = (metadata: Record<string, string>): string =>
    Object.entries(metadata)
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
  const create = (name: string, length: number, more: More & { metadata?: Record<string, string> } = {}, suffix = '') =>
    ask('POST', `/storage/v1/upload/resumable${suffix}`, {
      ...more,
      headers: {
        'upload-length': String(length),
        'upload-metadata': encodeMetadata({
          bucketName: 'files',
          objectName: path(name),
          contentType: 'text/plain',
          cacheControl: '77',
          ...more.metadata,
        }),
        ...more.headers,
      },
    });
  const patch = (url: string, offset: number, body: Uint8Array<ArrayBuffer> | string, more: More = {}) =>
    ask('PATCH', url, {
      ...more,
      body,
      headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset), ...more.headers },
    });
  const getLocation = (answer: { headers: Headers }): string => answer.headers.get('location') ?? '';
  const getOffset = (answer: { headers: Headers }): string | null => answer.headers.get('upload-offset');
  const read = async (name: string): Promise<string | undefined> =>
    (await server.client(alex.token).storage.from('files').download(path(name))).data?.text();

  test('a file is sent in pieces and is then an object like any other', async () => {
    const created = await create('a.txt', 10, { metadata: { metadata: JSON.stringify({ colour: 'red' }) } });
    expect([created.status, created.headers.get('tus-resumable'), getOffset(created)]).toEqual([201, '1.0.0', '0']);
    expect(Date.parse(created.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const at = getLocation(created);
    expect(at).toMatch(/^\/storage\/v1\/upload\/resumable\/[0-9a-f-]{36}$/);
    const first = await patch(at, 0, '0123');
    expect([first.status, getOffset(first), first.headers.get('tus-resumable')]).toEqual([204, '4', '1.0.0']);
    expect(await read('a.txt')).toBeUndefined();
    const stands = await ask('HEAD', at);
    expect([
      stands.status,
      getOffset(stands),
      stands.headers.get('upload-length'),
      stands.headers.get('cache-control'),
    ]).toEqual([200, '4', '10', 'no-store']);
    expect(stands.headers.get('upload-metadata')).toContain('bucketName ');
    expect((await patch(at, 4, '456789')).status).toBe(204);
    expect(await read('a.txt')).toBe('0123456789');
    const info = await server.client(alex.token).storage.from('files').info(path('a.txt'));
    expect(info.data).toMatchObject({
      size: 10,
      cacheControl: 'max-age=77',
      contentType: 'text/plain',
      metadata: { colour: 'red' },
    });
    // If the last answer is lost, HEAD shows that the upload is complete.
    expect(getOffset(await ask('HEAD', at))).toBe('10');
    const owner = await server.app.db.queryRow<{ owner: string }>('select owner from storage.objects where name = $1', [
      path('a.txt'),
    ]);
    expect(owner?.owner).toBe(alex.id);
  });

  test('the first piece may come with the creation, and an empty file is possible', async () => {
    const headers = { 'content-type': 'application/offset+octet-stream' };
    const whole = await create('whole.txt', 5, { headers, body: 'whole' });
    expect([whole.status, getOffset(whole), await read('whole.txt')]).toEqual([201, '5', 'whole']);
    const part = await create('part.txt', 5, { headers, body: 'pa' });
    expect([part.status, getOffset(part)]).toEqual([201, '2']);
    await patch(getLocation(part), 2, 'rt!');
    expect(await read('part.txt')).toBe('part!');
    expect([(await create('nothing.txt', 0)).status, await read('nothing.txt')]).toEqual([201, '']);
  });

  test('violations of the protocol are refused with its statuses', async () => {
    const at = getLocation(await create('rules.txt', 5));
    const statuses = {
      'no version': (await ask('HEAD', at, { headers: { 'tus-resumable': '0.2.2' } })).status,
      'a wrong type': (await patch(at, 0, 'x', { headers: { 'content-type': 'text/plain' } })).status,
      'a wrong offset': (await patch(at, 3, 'x')).status,
      'no offset': (await patch(at, 0, 'x', { headers: { 'upload-offset': 'x' } })).status,
      'more than its length': (await patch(at, 0, '0123456789')).status,
      'an unknown upload': (await patch(`${at.slice(0, -4)}0000`, 0, 'x')).status,
      'no upload': (await ask('HEAD', `${at}x`)).status,
      'reading it': (await ask('GET', at)).status,
      'no length': (await create('x.txt', 0, { headers: { 'upload-length': '' } })).status,
      'a deferred length': (await create('x.txt', 0, { headers: { 'upload-defer-length': '1' } })).status,
      'no name': (await create('x.txt', 1, { headers: { 'upload-metadata': 'bucketName ZmlsZXM=' } })).status,
      'too much': (await create('x.txt', 1_000_001)).status,
      'another type': (await create('x.txt', 1, { metadata: { contentType: 'text/html' } })).status,
      'no bucket': (await create('x.txt', 1, { metadata: { bucketName: 'none' } })).status,
      'a path that leads out': (await create('../x.txt', 1)).status,
    };
    expect(statuses).toEqual({
      'no version': 412,
      'a wrong type': 415,
      'a wrong offset': 409,
      'no offset': 400,
      'more than its length': 413,
      'an unknown upload': 404,
      'no upload': 404,
      'reading it': 404,
      'no length': 400,
      'a deferred length': 400,
      'no name': 400,
      'too much': 413,
      'another type': 400,
      'no bucket': 400,
      'a path that leads out': 400,
    });
    expect(getOffset(await ask('HEAD', at))).toBe('0');
  });

  test('nobody else continues an upload, and nobody starts one that policies forbid', async () => {
    const at = getLocation(await create('mine.txt', 5));
    for (const token of [other.token, server.app.keys.anonKey, server.app.keys.serviceRoleKey]) {
      expect((await patch(at, 0, 'x', { token })).status).toBe(404);
      expect((await ask('HEAD', at, { token })).status).toBe(404);
      expect((await ask('DELETE', at, { token })).status).toBe(404);
    }
    expect((await ask('HEAD', at, { token: null })).status).toBe(400);
    expect((await create('theirs.txt', 5, { token: other.token })).text).toContain('row-level security');
    expect((await create('guest.txt', 5, { token: server.app.keys.anonKey })).text).toContain('row-level security');
  });

  test('it ends when its owner deletes it, or after a day', async () => {
    const at = getLocation(await create('given-up.txt', 5));
    await patch(at, 0, '012');
    expect((await ask('DELETE', at)).status).toBe(204);
    expect((await patch(at, 3, '34')).status).toBe(404);
    const late = getLocation(await create('late.txt', 5));
    await patch(late, 0, '012');
    await server.app.db.query(
      `update storage.uploads set expires_at = clock_timestamp() - interval '1 second' where id = $1::uuid`,
      [late.split('/').at(-1)],
    );
    expect((await ask('HEAD', late)).status).toBe(410);
    await server.settle();
    expect((await ask('HEAD', late)).status).toBe(404);
    const { rows } = await server.app.db.query('select 1 from storage.upload_parts');
    expect(rows).toEqual([]);
  });

  test('after a broken connection the received bytes count, and the upload continues', async () => {
    const bytes = randomBytes(600_000);
    const created = await create('broken.txt', bytes.length);
    const at = getLocation(created);
    await new Promise<void>((resolve) => {
      const sending = request(`${server.url}${at}`, {
        method: 'PATCH',
        headers: {
          authorization: `Bearer ${alex.token}`,
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          'content-length': bytes.length,
        },
      });
      sending.on('error', () => resolve());
      sending.write(bytes.subarray(0, 300_000), () => setTimeout(() => sending.destroy(), 300));
    });
    const offset = await until(async () => Number(getOffset(await ask('HEAD', at))));
    expect(offset).toBeGreaterThan(0);
    expect(offset).toBeLessThanOrEqual(300_000);
    for (let sent = offset; sent < bytes.length; sent += 100_000) {
      const answer = await patch(at, sent, new Uint8Array(bytes.subarray(sent, sent + 100_000)));
      expect(answer.status).toBe(204);
    }
    const got = await server.client(alex.token).storage.from('files').download(path('broken.txt'));
    expect(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer()).equals(bytes)).toBe(true);
  });

  test('of two simultaneous pieces with one offset, one is refused', async () => {
    const at = getLocation(await create('race.txt', 8));
    const answers = await Promise.all([patch(at, 0, 'aaaa'), patch(at, 0, 'bbbb')]);
    expect(answers.map((answer) => String(answer.status)).toSorted()).toEqual(['204', '409']);
    await patch(at, 4, 'cccc');
    expect(await read('race.txt')).toMatch(/^(aaaa|bbbb)cccc$/);
  });

  test('an interrupted completion is finished by the next request', async () => {
    const at = getLocation(await create('crash.txt', 4));
    const id = at.split('/').at(-1);
    const joining = (text: string) =>
      server.app.db.query(`update storage.uploads set assembling_until = ${text} where id = $1::uuid`, [id]);
    await joining(`clock_timestamp() + interval '1 hour'`);
    expect((await patch(at, 0, 'work')).status).toBe(423);
    expect((await ask('HEAD', at)).status).toBe(423);
    expect(await read('crash.txt')).toBeUndefined();
    await joining('null');
    expect([getOffset(await ask('HEAD', at)), await read('crash.txt')]).toEqual(['4', 'work']);
  });

  test('an object created in the meantime is replaced only with x-upsert', async () => {
    const upload = server.client(alex.token).storage.from('files');
    const at = getLocation(await create('taken.txt', 4));
    await upload.upload(path('taken.txt'), 'first', { contentType: 'text/plain' });
    expect((await patch(at, 0, 'late')).text).toContain('The resource already exists');
    expect((await ask('HEAD', at)).status).toBe(404);
    expect((await create('taken.txt', 4)).text).toContain('The resource already exists');
    const repeated = await create('taken.txt', 4, { headers: { 'x-upsert': 'true' } });
    expect([(await patch(getLocation(repeated), 0, 'last')).status, await read('taken.txt')]).toEqual([204, 'last']);
  });

  test('a signed URL allows a resumable upload', async () => {
    const created = await server.client(alex.token).storage.from('files').createSignedUploadUrl(path('signed.txt'));
    const headers = { 'x-signature': created.data?.token ?? '' };
    const wrong = await create('else.txt', 4, { token: null, headers }, '/sign');
    expect(wrong.text).toContain('Invalid Compact JWS');
    const begun = await create('signed.txt', 4, { token: null, headers }, '/sign');
    expect(begun.status).toBe(201);
    const at = getLocation(begun);
    expect(at).toContain('/upload/resumable/sign/');
    expect((await patch(at, 0, 'ab', { token: null })).status).toBe(400);
    expect((await patch(at, 0, 'ab', { token: null, headers })).status).toBe(204);
    expect(getOffset(await ask('HEAD', at, { token: null, headers }))).toBe('2');
    expect((await patch(at, 2, 'cd', { token: null, headers })).status).toBe(204);
    expect(await read('signed.txt')).toBe('abcd');
  });

  test('a photo of an identity document is re-encoded here too', async () => {
    const photo = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#123456' } })
      .withExif({ IFD0: { Copyright: 'where I live' } })
      .jpeg()
      .toBuffer();
    const metadata = { bucketName: 'id-verifications', contentType: 'image/jpeg' };
    const created = await create('id.jpg', photo.length, { metadata });
    expect((await patch(getLocation(created), 0, new Uint8Array(photo))).status).toBe(204);
    const got = await server.client(alex.token).storage.from('id-verifications').download(path('id.jpg'));
    const bytes = Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer());
    expect((await sharp(bytes).metadata()).exif).toBeUndefined();
    const page = await create('page.jpg', 9, { metadata });
    expect((await patch(getLocation(page), 0, '<script/>')).text).toContain('This picture cannot be read');
  });

  test('OPTIONS lists the extensions, and browsers may call it', async () => {
    const options = await fetch(`${server.url}/storage/v1/upload/resumable`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('tus-version'), options.headers.get('tus-extension')]).toEqual([
      204,
      '1.0.0',
      'creation,creation-with-upload,termination,expiration',
    ]);
    const browser = await fetch(`${server.url}/storage/v1/upload/resumable/x`, {
      method: 'OPTIONS',
      headers: { origin: 'https://example.com', 'access-control-request-method': 'PATCH' },
    });
    expect(browser.headers.get('access-control-allow-methods')).toContain('PATCH');
    for (const name of ['tus-resumable', 'upload-offset', 'upload-length', 'upload-metadata'])
      expect(browser.headers.get('access-control-allow-headers')).toContain(name);
    const created = await create('cors.txt', 4, { headers: { origin: 'https://example.com' } });
    for (const name of ['location', 'upload-offset', 'tus-resumable'])
      expect(created.headers.get('access-control-expose-headers')).toContain(name);
    // Some networks allow only GET and POST.
    const at = getLocation(created);
    const headers = {
      'x-http-method-override': 'PATCH',
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    };
    expect((await ask('POST', at, { headers, body: 'over' })).status).toBe(204);
    expect((await ask('POST', at)).status).toBe(404);
    expect(await read('cors.txt')).toBe('over');
  });

  test('after the cleanup only objects are left', async () => {
    server.advance(25 * 3_600_000);
    for (let round = 0; round < 3; round += 1) await server.settle();
    server.advance(-25 * 3_600_000);
    const { rows } = await server.app.db.query<{ storage_key: string }>('select storage_key from storage.objects');
    expect((await server.app.db.query('select 1 from storage.uploads')).rows).toEqual([]);
    if (opened.service) {
      const keys = [...opened.service.objects.keys()].map((key) => key.replace('studio/files/', ''));
      expect(keys.toSorted()).toEqual(rows.map((row) => row.storage_key).toSorted());
    }
  });
});
