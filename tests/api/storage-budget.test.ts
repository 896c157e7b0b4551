import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { runScript } from '#tests/support/schema.ts';
import type { Customer, TestServer } from '#tests/support/test-server.ts';

const MB = 1_048_576;
const POLICY = `
create policy "own folder, all" on storage.objects for all to authenticated
  using (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id = 'files' and (storage.foldername(name))[1] = (select auth.uid())::text)
`;

/** Uploads of 9 MB: two fit for an account, four in total. */
describe.each(engines)('the bytes of unfinished uploads on $name', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await engine.open({
      STORAGE_FILE_SIZE_LIMIT: String(10 * MB),
      STORAGE_OPEN_UPLOADS_PER_ACCOUNT: String(20 * MB),
      STORAGE_OPEN_UPLOADS: String(40 * MB),
    });
    await runScript(server, POLICY);
    const service = server.client(server.app.keys.serviceRoleKey);
    await service.storage.createBucket('files', { public: false, fileSizeLimit: 10 * MB });
  }, 120_000);
  afterAll(() => server.close());

  let names = 0;
  async function begin({ id, token }: Pick<Customer, 'id' | 'token'>, length = 9 * MB) {
    const metadata = { bucketName: 'files', objectName: `${id}/${(names += 1)}.bin` };
    const answer = await fetch(`${server.url}/storage/v1/upload/resumable`, {
      method: 'POST',
      headers: {
        'tus-resumable': '1.0.0',
        authorization: `Bearer ${token}`,
        'upload-length': String(length),
        'upload-metadata': Object.entries(metadata)
          .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
          .join(','),
      },
    });
    await answer.text();
    return { status: answer.status, at: answer.headers.get('location') ?? '' };
  }
  const cancel = (at: string, { token }: Pick<Customer, 'token'>) =>
    fetch(server.url + at, {
      method: 'DELETE',
      headers: { 'tus-resumable': '1.0.0', authorization: `Bearer ${token}` },
    });

  test('an account begins no more than fit its budget, also at once; a cancelled one makes room', async () => {
    const alex = await server.addCustomer();
    const begun = await Promise.all(Array.from({ length: 6 }, () => begin(alex)));
    expect(begun.map(({ status }) => status).toSorted((status, other) => status - other)).toEqual([
      201, 201, 429, 429, 429, 429,
    ]);
    expect((await begin(alex, 2 * MB)).status).toBe(201);
    const [first, ...others] = begun.filter(({ status }) => status === 201);
    await cancel(first?.at ?? '', alex);
    const next = await begin(alex);
    expect(next.status).toBe(201);
    for (const { at } of [...others, next]) await cancel(at, alex);
  });

  test('all accounts together begin no more than fit the whole budget', async () => {
    await server.app.db.query('delete from storage.uploads');
    const people = [await server.addCustomer(), await server.addCustomer(), await server.addCustomer()];
    const statuses: number[] = [];
    for (const person of people) for (let index = 0; index < 2; index += 1) statuses.push((await begin(person)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 503, 503]);
    // The service key has no separate budget; only the total applies.
    expect((await begin({ id: 'service', token: server.app.keys.serviceRoleKey })).status).toBe(503);
    await server.app.db.query('delete from storage.uploads');
    for (let index = 0; index < 3; index += 1)
      expect((await begin({ id: 'service', token: server.app.keys.serviceRoleKey })).status).toBe(201);
  });
});
