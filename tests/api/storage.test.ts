import { readdir } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import sharp from 'sharp';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

/** The real supabase-js against `/storage/v1`: the private bucket of the product, and two that a test creates. */
const SCHEMA = `
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('notes', 'notes', false, 2000, null), ('posters', 'posters', true, null, '{text/*,image/png}')

create policy "own folder, reading" on storage.objects for select to authenticated
  using (bucket_id = 'notes' and (storage.foldername(name))[1] = (select auth.uid())::text)

create policy "own folder, adding" on storage.objects for insert to authenticated
  with check (bucket_id in ('notes', 'posters') and path_tokens[1] = (select auth.uid())::text and owner_id = (select auth.uid())::text)

create policy "own folder, changing" on storage.objects for update to authenticated
  using (bucket_id = 'notes' and (storage.foldername(name))[1] = (select auth.uid())::text)

create policy "own folder, removing" on storage.objects for delete to authenticated
  using (bucket_id = 'notes' and (storage.foldername(name))[1] = (select auth.uid())::text and storage.extension(name) = 'txt')
`
  .trim()
  .replace(/\n\n/g, ';\n\n');
const IDENTITY = 'id-verifications';

describe.each(engines)('/storage with supabase-js on $name', ({ open }) => {
  let server: TestServer;
  let alex: Customer;
  let own: SupabaseClient;
  let other: SupabaseClient;
  let guest: SupabaseClient;
  let service: SupabaseClient;
  let photo: Buffer;

  const raw = (path: string, init: RequestInit = {}, token = alex.token): Promise<Response> =>
    fetch(`${server.url}/storage/v1${path}`, {
      ...init,
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${token}`,
        ...Object.fromEntries(new Headers(init.headers)),
      },
    });
  const storedFiles = async (): Promise<string[]> =>
    (await readdir(join(server.dataDir, 'objects', 'objects'))).toSorted((a, b) => a.localeCompare(b));

  beforeAll(async () => {
    server = await open();
    await runScript(server, SCHEMA);
    alex = await server.addCustomer();
    own = server.client(alex.token);
    other = server.client((await server.addCustomer()).token);
    guest = server.client();
    service = server.client(server.app.keys.serviceRoleKey);
    photo = await sharp({ create: { width: 400, height: 250, channels: 3, background: '#887755' } })
      .withExif({ IFD0: { Artist: 'Alex Citizen', Copyright: 'where I live' } })
      .jpeg()
      .toBuffer();
  }, 120_000);
  afterAll(() => server.close());

  describe('the bucket for identity documents', () => {
    const upload = (
      client: SupabaseClient,
      name: string,
      body: string | Buffer = photo,
      contentType = 'image/jpeg',
      upsert = false,
    ) => client.storage.from(IDENTITY).upload(name, body, { contentType, upsert });

    test('a photo is stored for its owner only, and contains nothing but pixels', async () => {
      const name = `${alex.id}/licence_1_id.jpg`;
      const added = await upload(own, name);
      expect(added.error).toBeNull();
      expect(added.data).toMatchObject({ path: name, fullPath: `${IDENTITY}/${name}` });
      const { data } = await own.storage.from(IDENTITY).download(name);
      const bytes = Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer());
      const { format, exif, width } = await sharp(bytes).metadata();
      expect([format, exif, width]).toEqual(['jpeg', undefined, 400]);
      expect(bytes.includes('where I live')).toBe(false);
      for (const otherUser of [other, guest]) {
        const bucket = otherUser.storage.from(IDENTITY);
        expect((await bucket.download(name)).data).toBeNull();
        expect((await bucket.createSignedUrl(name, 60)).data).toBeNull();
        expect((await bucket.exists(name)).data).toBe(false);
        expect((await bucket.info(name)).data).toBeNull();
        expect((await bucket.list(alex.id)).data ?? []).toEqual([]);
        expect((await bucket.remove([name])).data ?? []).toEqual([]);
      }
      expect((await raw(`/object/public/${IDENTITY}/${name}`)).status).toBe(400);
      expect((await raw(`/render/image/authenticated/${IDENTITY}/${name}`)).status).toBe(400);
      const { headers } = await raw(`/object/${IDENTITY}/${name}`);
      expect(headers.get('cache-control')).toBe('private, no-store');
    });

    test('its file has a random name [spec 7.28]', async () => {
      expect((await storedFiles()).every((file) => /^[0-9a-f-]{36}$/.test(file))).toBe(true);
    });

    test.each([
      ['in the folder of another', randomUUID()],
      ['in no folder', ''],
    ])('nothing is added %s', async (_, folder) => {
      const before = await storedFiles();
      const { error } = await upload(own, `${folder === '' ? '' : `${folder}/`}a.jpg`);
      expect(error).toMatchObject({ message: 'new row violates row-level security policy', statusCode: '403' });
      expect(await storedFiles()).toEqual(before);
    });

    test('no object is replaced, and a guest adds nothing', async () => {
      const name = `${alex.id}/once.jpg`;
      expect((await upload(own, name)).error).toBeNull();
      expect((await upload(own, name)).error).toMatchObject({
        message: 'The resource already exists',
        statusCode: '409',
      });
      expect((await upload(own, name, photo, 'image/jpeg', true)).error).toMatchObject({ statusCode: '403' });
      expect((await upload(guest, `${alex.id}/guest.jpg`)).error).toMatchObject({ statusCode: '403' });
    });

    test.each([
      ['a page with scripts', '<html><script>1</script></html>', 'image/jpeg', '415'],
      [
        'a drawing that can run',
        '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>',
        'image/png',
        '415',
      ],
      ['a document', '%PDF-1.7', 'application/pdf', '415'],
      ['half a photo', 'half', 'image/jpeg', '415'],
      ['more than ten megabytes', 'large', 'image/jpeg', '413'],
      ['a picture too large to unpack', 'bomb', 'image/png', '415'],
    ])('%s is refused and leaves nothing', async (_, body, type, statusCode) => {
      const before = await storedFiles();
      const bytes =
        body === 'half'
          ? photo.subarray(0, photo.length / 2)
          : body === 'large'
            ? Buffer.alloc(10_485_761, 1)
            : body === 'bomb'
              ? await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: '#fff' } })
                  .png({ compressionLevel: 9 })
                  .toBuffer()
              : Buffer.from(body);
      const { error } = await upload(own, `${alex.id}/${randomUUID()}.jpg`, bytes, type);
      expect(error).toMatchObject({ statusCode });
      expect(await storedFiles()).toEqual(before);
    });

    test.each([
      '../a.jpg',
      'a/../../b.jpg',
      'a//b.jpg',
      'a/%2e%2e/b.jpg',
      'a\u0000.jpg',
      'a/é.jpg',
      `a/${'x'.repeat(1_100)}.jpg`,
    ])('a path like %j is refused', async (name) => {
      const response = await raw(
        `/object/${IDENTITY}/${alex.id}/${name.split('/').map(encodeURIComponent).join('/')}`,
        { method: 'POST', body: new Uint8Array(photo), headers: { 'content-type': 'image/jpeg' } },
      );
      const body: unknown = await response.json();
      expect([response.status, body]).toEqual([
        400,
        {
          statusCode: expect.stringMatching(/^40[034]$/),
          code: expect.any(String),
          error: expect.any(String),
          message: expect.any(String),
        },
      ]);
    });

    test('a link works for at most a minute, and only unchanged', async () => {
      const name = `${alex.id}/linked.jpg`;
      await upload(own, name);
      const { data } = await own.storage.from(IDENTITY).createSignedUrl(name, 3_600);
      const url = data?.signedUrl ?? '';
      const answer = await fetch(url);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect((await fetch(url.replace('linked', 'once'))).status).toBe(400);
      expect((await fetch(url.replace(/token=\d/, 'token=9'))).status).toBe(400);
      server.advance(61_000);
      expect((await fetch(url)).status).toBe(400);
      server.advance(-61_000);
      await own.storage.from(IDENTITY).remove([name]);
      expect((await fetch(url)).status).toBe(400);
    });

    test('photos are deleted after an hour', async () => {
      const name = `${alex.id}/old.jpg`;
      await upload(own, name);
      server.advance(3_601_000);
      await server.settle();
      server.advance(-3_601_000);
      expect((await own.storage.from(IDENTITY).exists(name)).data).toBe(false);
      const { rows } = await server.app.db.query('select 1 from storage.deletion_queue');
      expect([rows, await storedFiles()]).toEqual([[], []]);
    });
  });

  describe('other buckets', () => {
    const path = (name: string): string => `${alex.id}/${name}`;
    const notes = () => own.storage.from('notes');

    test('an upload is returned unchanged: text, form, type and metadata', async () => {
      await notes().upload(path('plain.txt'), 'hello');
      const plain = await notes().download(path('plain.txt'));
      expect([await plain.data?.text(), plain.data?.type]).toEqual(['hello', 'text/plain;charset=utf-8']);
      const added = await notes().upload(path('form.json'), new Blob(['{"a":1}'], { type: 'application/json' }), {
        cacheControl: '60',
        metadata: { colour: 'red' },
      });
      expect(added.data?.id).toEqual(expect.any(String));
      const info = await notes().info(path('form.json'));
      expect(info.data).toMatchObject({
        name: path('form.json'),
        bucketId: 'notes',
        size: 7,
        contentType: 'application/json',
        cacheControl: 'max-age=60',
        metadata: { colour: 'red' },
      });
      const bytes = new Uint8Array([0, 1, 2, 255]);
      await notes().upload(path('raw.bin'), bytes, { contentType: 'application/octet-stream' });
      expect(new Uint8Array((await (await notes().download(path('raw.bin'))).data?.arrayBuffer()) ?? [])).toEqual(
        bytes,
      );
    });

    test('a browser displays only pictures, and shared caches store nothing private', async () => {
      await notes().upload(path('page.html'), '<script>1</script>', { contentType: 'text/html' });
      const { headers } = await raw(`/object/notes/${path('page.html')}`);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-disposition': "attachment; filename*=UTF-8''page.html",
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'cache-control': 'private, max-age=3600',
      });
    });

    test('ranges and conditional requests', async () => {
      const at = `/object/notes/${path('plain.txt')}`;
      const part = await raw(at, { headers: { range: 'bytes=1-3' } });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 1-3/5', 'ell']);
      expect(await (await raw(at, { headers: { range: 'bytes=-2' } })).text()).toBe('lo');
      expect((await raw(at, { headers: { range: 'bytes=9-' } })).status).toBe(416);
      const etag = part.headers.get('etag') ?? '';
      expect((await raw(at, { headers: { 'if-none-match': etag } })).status).toBe(304);
    });

    test('an object is replaced where a policy allows its owner, and the old bytes are deleted', async () => {
      await notes().upload(path('again.txt'), 'one');
      const before = (await storedFiles()).length;
      expect((await notes().upload(path('again.txt'), 'two')).error?.message).toBe('The resource already exists');
      expect((await notes().upload(path('again.txt'), 'two', { upsert: true })).error).toBeNull();
      expect((await notes().update(path('again.txt'), 'three')).error).toBeNull();
      expect(await (await notes().download(path('again.txt'))).data?.text()).toBe('three');
      await server.settle();
      expect((await storedFiles()).length).toBe(before);
      expect((await other.storage.from('notes').update(path('again.txt'), 'mine')).error).not.toBeNull();
    });

    test('a folder lists its files and folders, in order, by page and by search', async () => {
      for (const name of ['list/b.txt', 'list/a.txt', 'list/deep/c.txt', 'list/deep/d.txt'])
        await notes().upload(path(name), name);
      const names = async (...options: Parameters<ReturnType<typeof notes>['list']>) =>
        (await notes().list(...options)).data?.map((note) => note.name);
      expect(await names(path('list'))).toEqual(['deep', 'a.txt', 'b.txt']);
      expect(await names(path('list/deep/'), { sortBy: { column: 'name', order: 'desc' } })).toEqual([
        'd.txt',
        'c.txt',
      ]);
      expect(await names(path('list'), { limit: 1, offset: 1 })).toEqual(['a.txt']);
      expect(await names(path('list'), { search: 'B.' })).toEqual(['b.txt']);
      expect(await names(path('list'), { sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
        'deep',
        'b.txt',
        'a.txt',
      ]);
      const { data } = await notes().list(path('list'));
      expect(data?.[0]).toMatchObject({ id: null, metadata: null });
      expect(data?.[1]?.metadata).toMatchObject({ size: 10, mimetype: expect.stringContaining('text/plain') });
      expect((await other.storage.from('notes').list(path('list'))).data).toEqual([]);
    });

    test('removing returns the removed objects, and removes only what a policy allows', async () => {
      await notes().upload(path('gone.txt'), 'x');
      const { data } = await notes().remove([path('gone.txt'), path('raw.bin'), path('never.txt')]);
      expect(data?.map((file) => file.name)).toEqual([path('gone.txt')]);
      expect((await notes().exists(path('gone.txt'))).data).toBe(false);
      expect((await notes().exists(path('raw.bin'))).data).toBe(true);
    });

    test('links, one and many', async () => {
      const { data } = await notes().createSignedUrls([path('plain.txt'), path('never.txt')], 60);
      expect(data?.map((result) => [result.path, result.error])).toEqual([
        [path('plain.txt'), null],
        [path('never.txt'), 'Either the object does not exist or you do not have access to it'],
      ]);
      const named = await notes().createSignedUrl(path('plain.txt'), 60, { download: 'my note.txt' });
      const answer = await fetch(named.data?.signedUrl ?? '');
      expect([await answer.text(), answer.headers.get('content-disposition')]).toEqual([
        'hello',
        "attachment; filename*=UTF-8''my%20note.txt",
      ]);
    });

    test('limits of size and type, and public objects', async () => {
      expect((await notes().upload(path('long.txt'), 'x'.repeat(2_001))).error).toMatchObject({
        message: 'The object exceeded the maximum allowed size',
        statusCode: '413',
      });
      const posters = own.storage.from('posters');
      expect((await posters.upload(path('a.bin'), 'x', { contentType: 'application/zip' })).error?.message).toBe(
        'mime type application/zip is not supported',
      );
      await posters.upload(path('wall.txt'), 'see me', { contentType: 'text/plain', cacheControl: '5' }); // adding needs no permission to read
      const { publicUrl } = posters.getPublicUrl(path('wall.txt')).data;
      const seen = await fetch(publicUrl);
      expect([seen.status, await seen.text()]).toEqual([200, 'see me']);
      await service.storage
        .from('posters')
        .upload('wall.txt', 'see me', { contentType: 'text/plain', cacheControl: '5' });
      const shown = await fetch(posters.getPublicUrl('wall.txt').data.publicUrl);
      expect([shown.status, await shown.text(), shown.headers.get('cache-control')]).toEqual([
        200,
        'see me',
        'max-age=5',
      ]);
    });

    test('buckets', async () => {
      const { data } = await own.storage.getBucket('notes');
      expect(Object.keys(data ?? {}).toSorted()).toEqual([
        'allowed_mime_types',
        'created_at',
        'file_size_limit',
        'id',
        'name',
        'owner',
        'public',
        'updated_at',
      ]);
      expect((await own.storage.listBuckets()).data?.map((bucket) => bucket.id)).toEqual([
        IDENTITY,
        'incidents',
        'notes',
        'posters',
        'rooms',
      ]);
      expect((await own.storage.getBucket('none')).error?.message).toBe('Bucket not found');
      expect((await own.storage.from('none').upload('a.txt', 'x')).error?.message).toBe('Bucket not found');
      expect((await own.storage.createBucket('mine')).error).not.toBeNull();
    });
  });

  test('bytes of an unfinished upload are deleted', async () => {
    await server.app.db.query(
      `insert into storage.deletion_queue (storage_key, delete_at) values ('objects/${randomUUID()}', clock_timestamp() + interval '10 minutes')`,
    );
    await server.settle();
    expect((await server.app.db.query('select 1 from storage.deletion_queue')).rows.length).toBe(1);
    server.advance(601_000);
    await server.settle();
    server.advance(-601_000);
    expect((await server.app.db.query('select 1 from storage.deletion_queue')).rows).toEqual([]);
  });
});
