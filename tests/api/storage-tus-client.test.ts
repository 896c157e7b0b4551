import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import { type OpenStore, stores } from '#tests/support/stores.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

const SCHEMA = `
create policy "own folder, all" on storage.objects for all to authenticated
  using (bucket_id = 'sets' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'sets' and (storage.foldername(name))[1] = (select auth.uid())::text)
`;
const PIECE = 256 * 1024;
const SET = randomBytes(4 * PIECE + 1_000);

const kinds = engines.flatMap((engine) => stores.map((store) => ({ engine, store })));

/** The client that Supabase's guide recommends, with the options of that guide. */
describe.each(kinds)('tus-js-client on $engine.name, files on $store.name', ({ engine, store }) => {
  let opened: OpenStore;
  let server: TestServer;
  let alex: Customer;
  beforeAll(async () => {
    opened = await store.open();
    server = await engine.open(opened.env);
    await runScript(server, SCHEMA);
    alex = await server.addCustomer();
    const service = server.client(server.app.keys.serviceRoleKey);
    await service.storage.createBucket('sets', { public: false, fileSizeLimit: '2mb' });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await opened.close();
  });

  const createOptions = (path: string, more: Partial<UploadOptions> = {}): UploadOptions => ({
    endpoint: `${server.url}/storage/v1/upload/resumable`,
    retryDelays: [0, 50, 100],
    headers: { authorization: `Bearer ${alex.token}`, apikey: server.app.keys.anonKey },
    uploadDataDuringCreation: true,
    removeFingerprintOnSuccess: true,
    metadata: { bucketName: 'sets', objectName: path, contentType: 'audio/mpeg', cacheControl: '3600' },
    chunkSize: PIECE,
    ...more,
  });
  /** Uploads a file. Returns the upload; throws the client's error if it fails. */
  const send = (path: string, more: Partial<UploadOptions> = {}): Promise<Upload> =>
    new Promise((resolve, reject) => {
      const upload = new Upload(SET, {
        ...createOptions(path, more),
        onSuccess: () => resolve(upload),
        onError: reject,
      });
      upload.start();
    });
  const read = async (path: string): Promise<Buffer | null> => {
    const { data } = await server.client(alex.token).storage.from('sets').download(path);
    return data === null ? null : Buffer.from(await data.arrayBuffer());
  };
  /** Sends the first pieces and stops. Returns an upload with the URL for the rest. */
  const begin = (path: string): Promise<Upload> =>
    new Promise((resolve, reject) => {
      const upload = new Upload(SET, {
        ...createOptions(path),
        onError: reject,
        onChunkComplete: (_size, accepted) => {
          if (accepted >= 2 * PIECE) void upload.abort().then(() => resolve(upload), reject);
        },
      });
      upload.start();
    });

  test('a file goes up in pieces, the first with the creation, and comes back byte by byte', async () => {
    const path = `${alex.id}/whole.mp3`;
    const seen: number[] = [];
    await send(path, { onChunkComplete: (_size, accepted) => void seen.push(accepted) });
    expect(seen).toEqual([PIECE, 2 * PIECE, 3 * PIECE, 4 * PIECE, SET.byteLength]);
    expect((await read(path))?.equals(SET)).toBe(true);
    const info = await server.client(alex.token).storage.from('sets').info(path);
    expect(info.data).toMatchObject({ contentType: 'audio/mpeg', cacheControl: 'max-age=3600', size: SET.byteLength });
  });

  test('an aborted upload continues where it was, also from another device', async () => {
    const path = `${alex.id}/broken.mp3`;
    const { url } = await begin(path);
    expect(await read(path)).toBeNull();
    const seen: number[] = [];
    await send(path, { uploadUrl: url, onChunkComplete: (_size, accepted) => void seen.push(accepted) });
    expect(seen[0]).toBeGreaterThan(2 * PIECE);
    expect((await read(path))?.equals(SET)).toBe(true);
  });

  test('a terminated upload is gone', async () => {
    const path = `${alex.id}/given-up.mp3`;
    const upload = await begin(path);
    await Upload.terminate(upload.url ?? '', createOptions(path));
    const gone = await fetch(upload.url ?? '', {
      method: 'HEAD',
      headers: { 'tus-resumable': '1.0.0', authorization: `Bearer ${alex.token}` },
    });
    expect(gone.status).toBe(404);
    expect(await read(path)).toBeNull();
  });

  test('parallel pieces are refused', async () => {
    const refused = await send(`${alex.id}/parallel.mp3`, {
      parallelUploads: 2,
      uploadDataDuringCreation: false,
    }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DetailedError);
    expect(await read(`${alex.id}/parallel.mp3`)).toBeNull();
  });

  test('a refusal reaches the client with its status and is not retried', async () => {
    const refusal = async (path: string, more: Partial<UploadOptions> = {}): Promise<unknown> => {
      let tries = 0;
      const refused = await send(path, { ...more, onBeforeRequest: () => void (tries += 1) }).catch(
        (error: unknown) => error,
      );
      const answer = refused instanceof DetailedError ? refused.originalResponse : null;
      return [tries, answer?.getStatus(), JSON.parse(answer?.getBody() || '{}').statusCode];
    };
    expect(await refusal(`${crypto.randomUUID()}/strange.mp3`)).toEqual([1, 400, '403']);
    const guest = { apikey: server.app.keys.anonKey };
    expect(await refusal(`${alex.id}/signed-out.mp3`, { headers: guest })).toEqual([1, 400, '403']);
    await send(`${alex.id}/twice.mp3`);
    expect(await refusal(`${alex.id}/twice.mp3`)).toEqual([1, 400, '409']);
    const headers = createOptions('').headers ?? {};
    await send(`${alex.id}/twice.mp3`, { headers: { ...headers, 'x-upsert': 'true' } });
  });
});
