import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Engine } from '#tests/support/engines.ts';
import type { TestServer } from '#tests/support/test-server.ts';
import {
  type Expectation,
  type Outcome,
  type People,
  type Principal,
  type Values,
  type Verb,
  writeMatrix,
} from './matrix.ts';

/** A test server with all principals and the rows that the matrix describes. */
export type Populated = {
  readonly server: TestServer;
  readonly people: People;
  readonly matrix: Readonly<Record<string, Expectation>>;
  readonly clients: Readonly<Record<Principal, SupabaseClient>>;
};

export async function populate(engine: Engine): Promise<Populated> {
  // Each write is rolled back, so that cells do not affect each other.
  const server = await engine.open({ PGRST_DB_TX_END: 'commit-allow-override' });
  const { db, keys } = server.app;
  const [owner, other, unverified, colleague, admin, revoked] = [
    await server.addCustomer(),
    await server.addCustomer(),
    await server.addCustomer(),
    await server.addCustomer(),
    await server.addCustomer(),
    await server.addCustomer(),
  ];
  await db.query('delete from public.id_verifications where user_id = $1::uuid', [unverified.id]);
  await db.query('update auth.users set email_confirmed_at = null where id = $1::uuid', [unverified.id]);
  await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin'), ($2::uuid, 'admin')`, [
    colleague.id,
    admin.id,
  ]);
  await db.query(`update public.staff_permissions set permission = 'money' where user_id = $1::uuid`, [colleague.id]);
  await db.query('delete from auth.sessions where user_id = $1::uuid', [revoked.id]);
  const claims = { sub: owner.id, aud: 'authenticated', role: 'authenticated', session_id: randomUUID() };
  const expired = keys.sign(claims, 60, new Date(server.now().getTime() - 3_600_000));
  const people = {
    owner: owner.id,
    other: other.id,
    unverified: unverified.id,
    colleague: colleague.id,
    admin: admin.id,
  };
  const matrix = writeMatrix(people);
  // Bookings come first, because other tables refer to them.
  const tables = Object.entries(matrix).toSorted(([a], [b]) => Number(b === 'bookings') - Number(a === 'bookings'));
  for (const [, expectation] of tables) for (const { text, values } of expectation.make) await db.query(text, values);
  return {
    server,
    people,
    matrix,
    clients: {
      guest: server.client(),
      owner: server.client(owner.token),
      other: server.client(other.token),
      unverified: server.client(unverified.token),
      revoked: server.client(revoked.token),
      expired: server.client(expired),
      colleague: server.client(colleague.token),
      admin: server.client(admin.token),
      service: server.client(keys.serviceRoleKey),
    },
  };
}

type Answer = {
  readonly status: number;
  readonly count: number | null;
  readonly data: unknown;
  readonly error: { readonly code?: string } | null;
};

/** Runs one cell through the real client. Returns its outcome and the error code. */
export async function askCell(
  client: SupabaseClient,
  name: string,
  expectation: Expectation,
  cell: { principal: Principal; verb: Verb; row: string },
): Promise<{ outcome: Outcome; code: string }> {
  const { key, fresh } = expectation.rows[cell.row] ?? { key: {}, fresh: {} };
  const answer = await askVerb(client, name, cell.verb, { key, fresh, change: expectation.change });
  const code = answer.error?.code ?? '';
  return { outcome: readOutcome(answer, code, cell), code: `${answer.status} ${code}` };
}

function askVerb(
  client: SupabaseClient,
  name: string,
  verb: Verb,
  { key, fresh, change }: { key: Values; fresh: Values; change: Values },
): PromiseLike<Answer> {
  const table = client.from(name);
  switch (verb) {
    case 'select':
      return table.select('*').match(key);
    case 'head':
      return table.select('*', { head: true, count: 'exact' }).match(key);
    case 'insert':
      return table.insert(fresh, { count: 'exact' }).rollback();
    case 'upsert':
      return table.upsert({ ...fresh, ...key }, { count: 'exact' }).rollback();
    case 'update':
      return table.update(change, { count: 'exact' }).match(key).rollback();
    case 'delete':
      return table.delete({ count: 'exact' }).match(key).rollback();
  }
}

function readOutcome(answer: Answer, code: string, cell: { principal: Principal; verb: Verb }): Outcome {
  if (answer.error !== null || answer.status >= 400) {
    if (code === 'PGRST301') return 'unknown';
    if (code === '42501') return 'refused';
    // The answer to a refused HEAD has no body.
    if (cell.verb === 'head' && answer.status === 401)
      return cell.principal === 'revoked' || cell.principal === 'expired' ? 'unknown' : 'refused';
    return cell.verb === 'head' && answer.status === 403 ? 'refused' : 'impossible';
  }
  if (cell.verb === 'head') return (answer.count ?? 0) > 0 ? 'shown' : 'none';
  if (cell.verb !== 'select') return (answer.count ?? 0) > 0 ? 'done' : 'none';
  const [row]: Record<string, unknown>[] = Array.isArray(answer.data) ? answer.data : [];
  if (!row) return 'none';
  return 'id' in row && row['id'] === null ? 'masked' : 'shown';
}
