import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import { type OpenStore, stores } from '#tests/support/stores.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/** Every method of supabase-js's storage client, on each database and each store. */
const SCHEMA = `
create policy "own folder of anything, reading" on storage.objects for select to authenticated
  using ((storage.foldername(name))[1] = (select auth.uid())::text)

create policy "own folder of anything, adding" on storage.objects for insert to authenticated
  with check ((storage.foldername(name))[1] = (select auth.uid())::text)

create policy "own folder of anything, changing" on storage.objects for update to authenticated
  using ((storage.foldername(name))[1] = (select auth.uid())::text)

create policy "own folder of anything, removing" on storage.objects for delete to authenticated
  using ((storage.foldername(name))[1] = (select auth.uid())::text)

create policy "a bucket of one's own" on storage.buckets for all to authenticated
  using (owner_id = (select auth.uid())::text) with check (owner_id = (select auth.uid())::text)
`
  .trim()
  .replace(/\n\n/g, ';\n\n');

const kinds = engines.flatMap((engine) => stores.map((store) => ({ engine, store })));

describe.each(kinds)('supabase-js on $engine.name, files on $store.name', ({ engine, store }) => {
  let opened: OpenStore;
  let server: TestServer;
  let alex: Customer;
  let own: SupabaseClient;
  let other: SupabaseClient;
  let guest: SupabaseClient;
  let service: SupabaseClient;
  let photo: Buffer;

  beforeAll(async () => {
    opened = await store.open();
    server = await engine.open(opened.env);
    await runScript(server, SCHEMA);
    alex = await server.addCustomer();
    own = server.client(alex.token);
    other = server.client((await server.addCustomer()).token);
    guest = server.client();
    service = server.client(server.app.keys.serviceRoleKey);
    photo = await sharp({ create: { width: 400, height: 200, channels: 3, background: '#335577' } })
      .jpeg()
      .toBuffer();
    await service.storage.createBucket('private', { public: false });
    await service.storage.createBucket('open', { public: true });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await opened.close();
  });

  const path = (name: string): string => `${alex.id}/${name}`;
  const files = () => own.storage.from('private');
  const text = async (client: SupabaseClient, name: string, bucket = 'private'): Promise<string | null> =>
    (await (await client.storage.from(bucket).download(path(name))).data?.text()) ?? null;

  describe('buckets', () => {
    test('are created, read, changed, emptied and deleted by the service [spec 7.10]', async () => {
      const created = await service.storage.createBucket('Tiny Bucket', {
        public: true,
        fileSizeLimit: '1kb',
        allowedMimeTypes: ['image/*', 'text/plain'],
      });
      expect([created.data, created.error]).toEqual([{ name: 'Tiny Bucket' }, null]);
      expect((await service.storage.getBucket('Tiny Bucket')).data).toMatchObject({
        id: 'Tiny Bucket',
        name: 'Tiny Bucket',
        owner: null,
        public: true,
        file_size_limit: 1_000,
        allowed_mime_types: ['image/*', 'text/plain'],
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
      const bucket = service.storage.from('Tiny Bucket');
      expect((await bucket.upload('a.txt', 'x'.repeat(1_001))).error).toMatchObject({
        message: 'The object exceeded the maximum allowed size',
        statusCode: '413',
      });
      expect((await bucket.upload('a.html', 'x', { contentType: 'text/html' })).error?.message).toBe(
        'mime type text/html is not supported',
      );
      expect((await bucket.upload('a.txt', 'x')).error).toBeNull();
      const full = await service.storage.deleteBucket('Tiny Bucket');
      expect(full.error?.message).toBe('The bucket you tried to delete is not empty');
      // Omitted settings keep their value; null removes a limit.
      const changed = await service.storage.updateBucket('Tiny Bucket', { public: false, fileSizeLimit: '20mb' });
      expect(changed.data).toEqual({ message: 'Successfully updated' });
      expect((await service.storage.getBucket('Tiny Bucket')).data).toMatchObject({
        public: false,
        file_size_limit: 20_000_000,
        allowed_mime_types: ['image/*', 'text/plain'],
      });
      await service.storage.updateBucket('Tiny Bucket', { public: false, allowedMimeTypes: null, fileSizeLimit: null });
      expect((await service.storage.getBucket('Tiny Bucket')).data).toMatchObject({
        file_size_limit: null,
        allowed_mime_types: null,
      });
      expect((await service.storage.emptyBucket('Tiny Bucket')).data).toEqual({
        message: 'Empty bucket has been queued. Completion may take up to an hour.',
      });
      expect((await bucket.exists('a.txt')).data).toBe(false);
      expect((await service.storage.deleteBucket('Tiny Bucket')).data).toEqual({ message: 'Successfully deleted' });
      expect((await service.storage.getBucket('Tiny Bucket')).error?.message).toBe('Bucket not found');
    });

    test('with invalid names, sizes and types are refused', async () => {
      const create = async (id: string, options: Record<string, unknown> = {}): Promise<string | undefined> =>
        (await service.storage.createBucket(id, { public: false, ...options })).error?.message;
      expect(await create('private')).toBe('The resource already exists');
      expect(await create('a/b')).toBe('Bucket name invalid');
      expect(await create(' a')).toBe('Bucket name invalid');
      expect(await create('x'.repeat(101))).toBe('Bucket name invalid');
      expect(await create('limits', { fileSizeLimit: 'much' })).toContain('Invalid file size format');
      expect(await create('limits', { fileSizeLimit: '9gb' })).toBe('The object exceeded the maximum allowed size');
      expect(await create('limits', { versioningStatus: 'ENABLED' })).toBe('The body is not what this call takes');
      expect(await create('limits', { type: 'ANALYTICS' })).toBe('The body is not what this call takes');
      expect(await create('limits', { allowedMimeTypes: ['image'] })).toBe('mime type image is not supported');
      for (const call of [service.storage.emptyBucket('none'), service.storage.deleteBucket('none')])
        expect((await call).error?.message).toBe('Bucket not found');
      expect((await service.storage.updateBucket('none', { public: true })).error?.message).toBe('Bucket not found');
    });

    test('are listed by page, by search and in order', async () => {
      for (const id of ['page-a', 'page-b', 'page-c']) await service.storage.createBucket(id, { public: false });
      const ids = async (options: Parameters<typeof service.storage.listBuckets>[0]) =>
        (await service.storage.listBuckets(options)).data?.map((bucket) => bucket.id);
      expect(await ids({ search: 'PAGE-' })).toEqual(['page-a', 'page-b', 'page-c']);
      expect(await ids({ search: 'page-', limit: 1, offset: 1 })).toEqual(['page-b']);
      expect(await ids({ search: 'page-', sortColumn: 'created_at', sortOrder: 'desc' })).toEqual([
        'page-c',
        'page-b',
        'page-a',
      ]);
    });

    test('can be created by people whom a policy allows', async () => {
      expect((await own.storage.createBucket('alex', { public: false })).error).toBeNull();
      expect((await own.storage.getBucket('alex')).data?.owner).toBe(alex.id);
      expect((await other.storage.updateBucket('alex', { public: true })).error?.message).toBe('Bucket not found');
      expect((await other.storage.deleteBucket('alex')).error?.message).toBe('Bucket not found');
      expect((await guest.storage.createBucket('guest', { public: true })).error?.message).toContain('row-level');
      expect((await own.storage.deleteBucket('alex')).error).toBeNull();
    });

    test('cannot be changed by anybody when it is the one for identity documents', async () => {
      for (const client of [own, service]) {
        expect((await client.storage.updateBucket('id-verifications', { public: true })).error).not.toBeNull();
        expect((await client.storage.deleteBucket('id-verifications')).error).not.toBeNull();
      }
      expect((await service.storage.getBucket('id-verifications')).data?.public).toBe(false);
    });
  });

  describe('an upload is returned unchanged', () => {
    const bodies: [string, () => Parameters<ReturnType<typeof files>['upload']>[1]][] = [
      ['a string', () => 'hello'],
      ['a Buffer', () => Buffer.from('hello')],
      ['an ArrayBuffer', () => new TextEncoder().encode('hello').buffer],
      ['a Blob', () => new Blob(['hello'], { type: 'text/plain' })],
      ['a File', () => new File(['hello'], 'x.txt', { type: 'text/plain' })],
      ['URLSearchParams', () => new URLSearchParams({ hello: '' })],
      ['a web stream', () => new Blob(['hello']).stream()],
      ['a Node stream', () => Readable.from([Buffer.from('hel'), Buffer.from('lo')])],
      [
        'FormData with a file of any name',
        () => {
          const form = new FormData();
          form.append('cacheControl', '77');
          form.append('attachment', new Blob(['hello'], { type: 'text/plain' }), 'y.txt');
          return form;
        },
      ],
    ];
    test.each(bodies)('%s', async (name, body) => {
      const at = path(`bodies/${name}.txt`);
      const sent = body();
      const added = await files().upload(at, sent, {
        contentType: 'text/plain',
        metadata: { from: name },
        cacheControl: '77',
      });
      expect(added).toMatchObject({ error: null, data: { path: at, fullPath: `private/${at}` } });
      const got = await files().download(at);
      expect((await got.data?.text())?.replace('=', '')).toBe('hello');
      const info = await files().info(at);
      expect(info.data).toMatchObject({
        name: at,
        bucketId: 'private',
        cacheControl: 'max-age=77',
        metadata: { from: name },
        contentType: expect.stringContaining('text/plain'),
        etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      });
    });

    test('an empty file', async () => {
      expect((await files().upload(path('empty.txt'), '')).error).toBeNull();
      expect(await text(own, 'empty.txt')).toBe('');
      expect((await files().upload(path('empty.bin'), new Blob([]))).error).toBeNull();
      expect((await files().info(path('empty.bin'))).data?.size).toBe(0);
    });

    test('more than a megabyte, in a form, byte by byte', async () => {
      const bytes = Buffer.alloc(3_333_333);
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = (index * 31 + (index >> 8)) & 255;
      // These bytes resemble the end of the form.
      bytes.write('\r\n------formdata-undici-\r\n--\r\n', 1_000_000);
      await files().upload(path('large.bin'), new Blob([bytes], { type: 'application/x-any' }));
      const got = await files().download(path('large.bin'));
      expect(Buffer.from((await got.data?.arrayBuffer()) ?? new ArrayBuffer()).equals(bytes)).toBe(true);
      expect(got.data?.type).toBe('application/x-any');
      const stream = await files().download(path('large.bin')).asStream();
      let size = 0;
      for await (const part of stream.data ?? []) size += (part as Uint8Array).byteLength;
      expect(size).toBe(bytes.length);
    });

    test('the default type, even with the file name of a picture', async () => {
      await files().upload(path('text.jpg'), 'not a picture');
      expect((await files().download(path('text.jpg'))).data?.type).toBe('text/plain;charset=utf-8');
    });
  });

  test('replace and upsert [spec 7.11]', async () => {
    await files().upload(path('r.txt'), 'one');
    expect((await files().upload(path('r.txt'), 'two')).error?.message).toBe('The resource already exists');
    expect((await files().upload(path('r.txt'), 'two', { upsert: true })).error).toBeNull();
    const before = (await files().info(path('r.txt'))).data;
    expect((await files().update(path('r.txt'), 'three', { cacheControl: '9' })).error).toBeNull();
    const after = (await files().info(path('r.txt'))).data;
    expect([before?.id === after?.id, before?.version === after?.version, after?.cacheControl]).toEqual([
      true,
      false,
      'max-age=9',
    ]);
    expect(await text(own, 'r.txt')).toBe('three');
  });

  test('move and copy, inside a bucket and to another [spec 7.11]', async () => {
    await files().upload(path('from.txt'), 'moved', { metadata: { a: 1 }, cacheControl: '5', contentType: 'text/x-a' });
    expect((await files().move(path('from.txt'), path('deep/to.txt'))).data).toMatchObject({
      message: 'Successfully moved',
    });
    expect([await text(own, 'from.txt'), await text(own, 'deep/to.txt')]).toEqual([null, 'moved']);
    expect((await files().copy(path('deep/to.txt'), path('copy.txt'))).data).toEqual({
      path: `private/${path('copy.txt')}`,
    });
    expect((await files().info(path('copy.txt'))).data).toMatchObject({
      metadata: { a: 1 },
      cacheControl: 'max-age=5',
      contentType: 'text/x-a',
    });
    const changes = { cacheControl: 'max-age=8, immutable', mimetype: 'text/x-b', contentEncoding: 'br' };
    await files().copy(path('copy.txt'), path('plain.txt'), { copyMetadata: false, metadata: changes });
    expect((await files().info(path('plain.txt'))).data).toMatchObject({
      metadata: {},
      cacheControl: 'max-age=8, immutable',
      contentType: 'text/x-b',
      contentEncoding: 'br',
    });
    await files().copy(path('copy.txt'), path('plain2.txt'), {
      copyMetadata: false,
      metadata: { mimetype: 'text/x-c' },
    });
    expect((await files().info(path('plain2.txt'))).data).toMatchObject({
      cacheControl: 'max-age=5',
      contentType: 'text/x-c',
    });
    await files().move(path('plain2.txt'), path('plain.txt.old'));
    expect((await files().copy(path('copy.txt'), path('w.txt'), { destinationBucket: 'open' })).data?.path).toBe(
      `open/${path('w.txt')}`,
    );
    expect((await files().move(path('copy.txt'), path('m.txt'), { destinationBucket: 'open' })).error).toBeNull();
    expect([await text(own, 'w.txt', 'open'), await text(own, 'm.txt', 'open')]).toEqual(['moved', 'moved']);
    await files().remove([path('deep/to.txt')]);
    expect(await text(own, 'm.txt', 'open')).toBe('moved');
    expect((await files().move(path('none.txt'), path('x.txt'))).error?.message).toBe('Object not found');
    expect((await files().copy(path('none.txt'), path('x.txt'))).error?.message).toBe('Object not found');
    expect((await files().copy(path('plain.txt'), '../x.txt')).error?.message).toBe('Invalid key');
    await files().upload(path('there.txt'), 'x');
    expect((await files().move(path('plain.txt'), path('there.txt'))).error?.message).toBe(
      'The resource already exists',
    );
    expect((await files().copy(path('plain.txt'), path('there.txt'))).error?.message).toBe(
      'The resource already exists',
    );
    expect((await other.storage.from('private').move(path('plain.txt'), path('mine.txt'))).error).not.toBeNull();
    expect((await other.storage.from('private').copy(path('plain.txt'), path('mine.txt'))).error).not.toBeNull();
    expect((await files().move(path('plain.txt'), 'elsewhere/plain.txt')).error?.message).toContain('row-level');
    expect((await files().copy(path('plain.txt'), 'elsewhere/plain.txt')).error?.message).toContain('row-level');
    expect((await files().exists(path('plain.txt'))).data).toBe(true);
  });

  test('compressed files keep their content-encoding', async () => {
    const packed = gzipSync('a'.repeat(999));
    await files().upload(path('a.gz'), packed, { contentType: 'text/plain', contentEncoding: 'gzip' });
    await files().upload(path('b.gz'), new Blob([packed], { type: 'text/plain' }), { contentEncoding: 'gzip' });
    // `fetch` decompresses the files.
    for (const name of ['a.gz', 'b.gz']) expect(await text(own, name)).toBe('a'.repeat(999));
  });

  test('signed URLs, one and many [spec 7.11]', async () => {
    await files().upload(path("s p (1) & ' $.txt"), 'signed');
    const at = path("s p (1) & ' $.txt");
    const signed = await files().createSignedUrl(at, 60);
    const answer = await fetch(signed.data?.signedUrl ?? '');
    expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([
      200,
      'signed',
      'private, max-age=3600',
    ]);
    expect(signed.data?.signedUrl).toMatch(/\?token=[^&]+$/);
    const { data } = await files().createSignedUrls([at, path('none.txt')], 60, { download: true });
    expect(data?.map(({ error, path: name }) => [error, name])).toEqual([
      [null, at],
      ['Either the object does not exist or you do not have access to it', path('none.txt')],
    ]);
    expect((await fetch(data?.[0]?.signedUrl ?? '')).headers.get('content-disposition')).toMatch(/^attachment; /);
    expect((await other.storage.from('private').createSignedUrl(at, 60)).error?.message).toBe('Object not found');
    server.advance(61_000);
    expect((await fetch(signed.data?.signedUrl ?? '')).status).toBe(400);
    server.advance(-61_000);
    // A URL that was signed for reading cannot be used to upload.
    const token = new URL(signed.data?.signedUrl ?? '').searchParams.get('token') ?? '';
    expect((await guest.storage.from('private').uploadToSignedUrl(at, token, 'x')).error?.message).toBe(
      'Invalid Compact JWS',
    );
  });

  test('signed URLs for uploads', async () => {
    const created = await files().createSignedUploadUrl(path('up load.txt'));
    expect(created.data).toMatchObject({ path: path('up load.txt'), token: expect.any(String) });
    const token = created.data?.token ?? '';
    const upload = (name: string, body: string) =>
      guest.storage
        .from('private')
        .uploadToSignedUrl(path(name), token, body, { cacheControl: '3', metadata: { z: 1 } });
    expect((await upload('other.txt', 'x')).error?.message).toBe('Invalid Compact JWS');
    expect((await upload('up load.txt', 'given')).data?.fullPath).toBe(`private/${path('up load.txt')}`);
    expect(await text(own, 'up load.txt')).toBe('given');
    const info = await service.storage.from('private').info(path('up load.txt'));
    expect(info.data).toMatchObject({ cacheControl: 'max-age=3', metadata: { z: 1 } });
    const owner = await server.app.db.queryRow<{ owner: string }>('select owner from storage.objects where name = $1', [
      path('up load.txt'),
    ]);
    expect(owner?.owner).toBe(alex.id);
    expect((await upload('up load.txt', 'again')).error?.message).toBe('The resource already exists');
    expect((await files().createSignedUploadUrl(path('up load.txt'))).error?.message).toBe(
      'The resource already exists',
    );
    const repeated = await files().createSignedUploadUrl(path('up load.txt'), { upsert: true });
    const replaced = await guest.storage
      .from('private')
      .uploadToSignedUrl(path('up load.txt'), repeated.data?.token ?? '', new Blob(['new']));
    expect([replaced.error, await text(own, 'up load.txt')]).toEqual([null, 'new']);
    expect((await other.storage.from('private').createSignedUploadUrl(path('x.txt'))).error?.message).toContain(
      'row-level',
    );
    server.advance(7_201_000);
    expect((await upload('up load.txt', 'late')).error?.message).toBe('Invalid Compact JWS');
    server.advance(-7_201_000);
  });

  test('public URLs [spec 7.12]', async () => {
    const bucket = service.storage.from('open');
    await bucket.upload('wall poster.txt', 'for all', { cacheControl: '42' });
    const { publicUrl } = guest.storage.from('open').getPublicUrl('wall poster.txt').data;
    const answer = await fetch(publicUrl);
    expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([
      200,
      'for all',
      'max-age=42',
    ]);
    const named = guest.storage.from('open').getPublicUrl('wall poster.txt', { download: 'new name.txt' });
    expect((await fetch(named.data.publicUrl)).headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''new%20name.txt",
    );
    await files().upload(path('hidden.txt'), 'x');
    const hidden = guest.storage.from('private').getPublicUrl(path('hidden.txt'));
    expect((await fetch(hidden.data.publicUrl)).status).toBe(400);
    expect((await fetch(guest.storage.from('open').getPublicUrl('none.txt').data.publicUrl)).status).toBe(400);
  });

  test('exists, and HEAD [spec 7.11]', async () => {
    await files().upload(path('head.txt'), 'twelve bytes');
    expect((await files().exists(path('head.txt'))).data).toBe(true);
    expect((await files().exists(path('none.txt'))).data).toBe(false);
    expect((await other.storage.from('private').exists(path('head.txt'))).data).toBe(false);
    const headers = { apikey: server.app.keys.anonKey, authorization: `Bearer ${alex.token}` };
    for (const kind of ['object', 'object/authenticated']) {
      const head = await fetch(`${server.url}/storage/v1/${kind}/private/${path('head.txt')}`, {
        method: 'HEAD',
        headers,
      });
      expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '12', '']);
      const none = await fetch(`${server.url}/storage/v1/${kind}/private/none.txt`, { method: 'HEAD', headers });
      expect(none.status).toBe(400);
    }
  });

  test('removing, one and many [spec 7.11]', async () => {
    for (const name of ['rm/a.txt', 'rm/b.txt', 'rm/c.txt']) await files().upload(path(name), 'x');
    expect((await other.storage.from('private').remove([path('rm/a.txt')])).data).toEqual([]);
    const { data } = await files().remove([path('rm/a.txt'), path('rm/b.txt'), path('rm/none.txt')]);
    expect(data?.map((file) => file.name).toSorted()).toEqual([path('rm/a.txt'), path('rm/b.txt')]);
    const headers = { apikey: server.app.keys.anonKey, authorization: `Bearer ${alex.token}` };
    const at = `${server.url}/storage/v1/object/private/${path('rm/c.txt')}`;
    expect(await (await fetch(at, { method: 'DELETE', headers })).json()).toEqual({ message: 'Successfully deleted' });
    expect((await fetch(at, { method: 'DELETE', headers })).status).toBe(400);
  });

  describe('lists', () => {
    beforeAll(async () => {
      for (const name of ['l/b.txt', 'l/a.txt', 'l/sub/one.txt', 'l/sub/two.txt', 'l/zed/x/y.txt', 'l/c.txt'])
        await files().upload(path(name), name);
    });

    test('a folder', async () => {
      const names = (await files().list(path('l'))).data?.map((file) => [file.name, file.id === null]);
      expect(names).toEqual([
        ['sub', true],
        ['zed', true],
        ['a.txt', false],
        ['b.txt', false],
        ['c.txt', false],
      ]);
    });

    test('pages, with and without folders, in every order', async () => {
      type Options = NonNullable<Parameters<ReturnType<typeof files>['listV2']>[0]>;
      const all = async (options: Options): Promise<{ folders: string[]; objects: string[] }> => {
        const found = { folders: [] as string[], objects: [] as string[] };
        let cursor: string | undefined;
        for (let page = 0; page < 20; page += 1) {
          const { data, error } = await files().listV2({ ...options, ...(cursor === undefined ? {} : { cursor }) });
          expect(error).toBeNull();
          found.folders.push(...(data?.folders ?? []).map((folder) => folder.name));
          found.objects.push(...(data?.objects ?? []).map((object) => object.name));
          if (!data?.hasNext) return found;
          cursor = data.nextCursor;
        }
        throw new Error('it never ends');
      };
      const here = ['l/a.txt', 'l/b.txt', 'l/c.txt'].map(path);
      const deep = ['l/sub/one.txt', 'l/sub/two.txt', 'l/zed/x/y.txt'].map(path);
      for (const limit of [1, 2, 3, 100]) {
        expect(await all({ prefix: path('l/'), limit })).toEqual({ folders: [], objects: [...here, ...deep] });
        expect(await all({ prefix: path('l/'), limit, with_delimiter: true })).toEqual({
          folders: [path('l/sub/'), path('l/zed/')],
          objects: here,
        });
        expect(
          await all({ prefix: path('l/'), limit, with_delimiter: true, sortBy: { column: 'name', order: 'desc' } }),
        ).toEqual({ folders: [path('l/zed/'), path('l/sub/')], objects: here.toReversed() });
        expect(
          (await all({ prefix: path('l/'), limit, sortBy: { column: 'created_at', order: 'asc' } })).objects,
        ).toEqual(['l/b.txt', 'l/a.txt', 'l/sub/one.txt', 'l/sub/two.txt', 'l/zed/x/y.txt', 'l/c.txt'].map(path));
        expect(
          (await all({ prefix: path('l/'), limit, sortBy: { column: 'created_at', order: 'desc' } })).objects[0],
        ).toBe(path('l/c.txt'));
      }
      const { data } = await files().listV2({ prefix: path('l/s'), with_delimiter: true });
      expect([data?.folders, data?.hasNext]).toEqual([[{ key: path('l/sub'), name: path('l/sub/') }], false]);
      expect((await files().listV2({ cursor: 'made up' })).error).not.toBeNull();
      expect((await other.storage.from('private').listV2({})).data).toMatchObject({ objects: [], hasNext: false });
    });
  });

  describe('pictures', () => {
    beforeAll(async () => {
      await files().upload(path('photo.jpg'), photo, { contentType: 'image/jpeg' });
      await service.storage.from('open').upload('photo.jpg', photo, { contentType: 'image/jpeg' });
    });
    const readSize = async (blob: Blob | null): Promise<unknown[]> => {
      const { format, width, height } = await sharp(
        Buffer.from((await blob?.arrayBuffer()) ?? new ArrayBuffer()),
      ).metadata();
      return [format, width, height];
    };

    test('are resized in three ways, in the requested format and quality [spec 7.12]', async () => {
      const shown = async (transform: Record<string, unknown>) =>
        readSize((await files().download(path('photo.jpg'), { transform })).data);
      expect(await shown({ width: 100, height: 100, format: 'origin' })).toEqual(['jpeg', 100, 100]);
      expect(await shown({ width: 100, height: 100, resize: 'contain', format: 'origin' })).toEqual(['jpeg', 100, 50]);
      expect(await shown({ width: 100, height: 120, resize: 'fill', format: 'origin' })).toEqual(['jpeg', 100, 120]);
      expect(await shown({ width: 100, format: 'webp' })).toEqual(['webp', 100, 50]);
      // Without a type, the client sends text/plain.
      await files().upload(path('untyped.jpg'), photo);
      const untyped = await files().download(path('untyped.jpg'), { transform: { width: 100, format: 'origin' } });
      expect([await readSize(untyped.data), untyped.data?.type]).toEqual([['jpeg', 100, 50], 'image/jpeg']);
      const [low, high] = await Promise.all(
        [20, 100].map(
          async (quality) =>
            (await files().download(path('photo.jpg'), { transform: { quality, format: 'origin' as const } })).data
              ?.size ?? 0,
        ),
      );
      expect(low).toBeLessThan(high ?? 0);
      const wrong = await files().download(path('photo.jpg'), { transform: { width: 2_501 } });
      expect(wrong.error).not.toBeNull();
      expect(
        (await other.storage.from('private').download(path('photo.jpg'), { transform: { width: 9 } })).error,
      ).not.toBeNull();
      expect((await files().download(path('text.jpg'), { transform: { width: 9 } })).error).not.toBeNull();
    });

    test('by signed URL with the signed transformation, and by public URL', async () => {
      const transform = { width: 200, height: 200, quality: 60 };
      const { data } = await files().createSignedUrl(path('photo.jpg'), 60, { transform });
      expect(data?.signedUrl).toContain('/render/image/sign/');
      const answer = await fetch(`${data?.signedUrl}&width=5`, { headers: { accept: 'image/webp,*/*' } });
      expect([answer.status, answer.headers.get('x-transformations'), answer.headers.get('content-type')]).toEqual([
        200,
        'height:200,width:200,resizing_type:fill,quality:60',
        'image/webp',
      ]);
      expect(await readSize(await answer.blob())).toEqual(['webp', 200, 200]);
      const plain = await files().createSignedUrl(path('photo.jpg'), 60);
      const turned = plain.data?.signedUrl.replace('/object/sign/', '/render/image/sign/') ?? '';
      expect((await fetch(turned)).status).toBe(400);
      const shown = guest.storage.from('open').getPublicUrl('photo.jpg', { transform: { width: 50, height: 50 } });
      const open = await fetch(shown.data.publicUrl);
      expect([open.status, open.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      const etag = open.headers.get('etag') ?? '';
      expect((await fetch(shown.data.publicUrl, { headers: { 'if-none-match': etag } })).status).toBe(304);
    });
  });

  test('conditions and ranges', async () => {
    await files().upload(path('cond.bin'), Buffer.from('0123456789'), { contentType: 'application/octet-stream' });
    const get = async (headers: Record<string, string>): Promise<[number, string, Headers]> => {
      const answer = await fetch(`${server.url}/storage/v1/object/private/${path('cond.bin')}`, {
        headers: { ...headers, apikey: server.app.keys.anonKey, authorization: `Bearer ${alex.token}` },
      });
      return [answer.status, await answer.text(), answer.headers];
    };
    const [, , { etag, 'last-modified': changed }] = await get({}).then(
      ([status, body, headers]) => [status, body, Object.fromEntries(headers) as Record<string, string>] as const,
    );
    const before = new Date(Date.parse(changed!) - 60_000).toUTCString();
    const cases: [Record<string, string>, number, string][] = [
      [{ range: 'bytes=2-4' }, 206, '234'],
      [{ range: 'bytes=7-' }, 206, '789'],
      [{ range: 'bytes=-3' }, 206, '789'],
      [{ range: 'bytes=-99' }, 206, '0123456789'],
      [{ range: 'bytes=3-99' }, 206, '3456789'],
      [{ range: 'bytes=10-' }, 416, ''],
      [{ range: 'bytes=4-2' }, 200, '0123456789'],
      [{ range: 'bytes=0-1,3-4' }, 200, '0123456789'],
      [{ range: 'lines=1-2' }, 200, '0123456789'],
      [{ range: 'bytes=0-1', 'if-range': etag! }, 206, '01'],
      [{ range: 'bytes=0-1', 'if-range': '"other"' }, 200, '0123456789'],
      [{ range: 'bytes=0-1', 'if-range': changed! }, 206, '01'],
      [{ 'if-none-match': etag! }, 304, ''],
      [{ 'if-none-match': `"x", W/${etag}` }, 304, ''],
      [{ 'if-none-match': '*' }, 304, ''],
      [{ 'if-none-match': '"x"' }, 200, '0123456789'],
      [{ 'if-modified-since': changed! }, 304, ''],
      [{ 'if-modified-since': before }, 200, '0123456789'],
      [{ 'if-modified-since': changed!, 'if-none-match': '"x"' }, 200, '0123456789'],
      [{ 'if-match': etag! }, 200, '0123456789'],
      [{ 'if-match': '"x"' }, 412, ''],
      [{ 'if-unmodified-since': changed! }, 200, '0123456789'],
      [{ 'if-unmodified-since': before }, 412, ''],
    ];
    for (const [headers, status, body] of cases) {
      const [got, text] = await get(headers);
      expect([headers, got, text]).toEqual([headers, status, body]);
    }
    expect((await get({ range: 'bytes=2-4' }))[2].get('content-range')).toBe('bytes 2-4/10');
    expect((await get({ range: 'bytes=10-' }))[2].get('content-range')).toBe('bytes */10');
  });

  test('removed and replaced objects leave no bytes behind', async () => {
    const count = async (): Promise<number> =>
      Number((await server.app.db.queryRow<{ n: number }>('select count(*)::int as n from storage.objects'))?.n);
    await files().upload(path('gone.txt'), 'x');
    await files().update(path('gone.txt'), 'y');
    await files().remove([path('gone.txt')]);
    await service.storage.emptyBucket('private');
    await server.settle();
    await server.settle();
    expect((await server.app.db.query('select 1 from storage.deletion_queue')).rows).toEqual([]);
    if (opened.service) expect(opened.service.objects.size).toBe(await count());
  });

  test('only the service may purge a cache, and there is none', async () => {
    await service.storage.from('open').upload('purge.txt', 'x');
    expect((await service.storage.from('open').purgeCache('purge.txt')).data).toEqual({ message: 'success' });
    expect((await service.storage.purgeBucketCache('open')).data).toEqual({ message: 'success' });
    expect((await own.storage.from('open').purgeCache('purge.txt')).error).not.toBeNull();
  });

  test('the SQL functions for parts of a path', async () => {
    const { rows } = await server.app.db.query(
      `select storage.foldername('a/b/c.tar.gz') as folder, storage.filename('a/b/c.tar.gz') as file, storage.extension('a/b/c.tar.gz') as extension`,
    );
    expect(rows).toEqual([{ folder: ['a', 'b'], file: 'c.tar.gz', extension: 'gz' }]);
  });

  test('an invalid bearer token is refused', async () => {
    const otherUser = server.client('not.a.token');
    expect((await otherUser.storage.from('private').download('a.txt')).error).not.toBeNull();
    expect((await otherUser.storage.listBuckets()).error?.message).toBe('Invalid Compact JWS');
  });
});
