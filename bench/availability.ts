import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer } from '#tests/support/test-server.ts';
import { availability, DAY, STUDIOS } from './callers/availability.ts';
import { type Case, compare, say } from './limits/compare.ts';
import { fillBookings } from './rows/bookings.ts';
import { openBenchServer } from './test-server.ts';

/** Measures the availability of two full days among a million bookings, as a guest, a customer and staff, compared with the same SQL. */
const ROWS = Number(process.env['BENCH_ROWS'] ?? 1_000_000);
const FIRST = Date.parse('2026-12-01T00:00:00Z');
const DAYS = 5;

type Who = {
  readonly name: string;
  readonly goal: number;
  readonly key: string;
  readonly token: string;
  readonly bytes: string;
};

/** Returns the request of the booking page for two days, for each studio and several days. */
function createCase({ name, goal, key, token, bytes }: Who): Case {
  const variants = STUDIOS.flatMap((studio) =>
    Array.from({ length: DAYS }, (_, day) => {
      const { path, before, from, to } = availability(studio, FIRST + day * DAY);
      const headers = { apikey: key, authorization: `Bearer ${token}` };
      return {
        request: { method: 'GET', path, headers },
        values: [studio, 'cancelled', before, to, from, bytes],
      };
    }),
  );
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const { role }: { role: string } = JSON.parse(claims);
  return {
    name: `availability for ${name}`,
    goal,
    role,
    claims,
    planMode: 'force_generic_plan',
    variants,
    marker: '"start_time"',
  };
}

/** `npm run bench -- availability guest staff` measures only these. */
async function main(): Promise<void> {
  const selected = process.argv.slice(2);
  const server = await openBenchServer();
  const { databaseUrl, ports } = server;
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  await fillBookings(owner, ROWS);
  say(`${ROWS.toLocaleString('en-AU')} bookings`);
  const target = await compose(readConfig({ ...server.env, PORT: String(ports + 5) }));
  const [customer, admin] = [await addCustomer(target, new Date()), await addCustomer(target, new Date())];
  await target.close();
  await owner.query(
    `insert into public.user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'`,
    [admin.id],
  );
  await owner.query('analyze');
  const { apiUrl, anonKey } = server.runtime;
  const who: readonly Who[] = [
    { name: 'a guest', goal: 0.95, key: anonKey, token: anonKey, bytes: '2000000' },
    { name: 'a customer', goal: 0.95, key: anonKey, token: customer.token, bytes: '8000000' },
    { name: 'staff', goal: 0.95, key: anonKey, token: admin.token, bytes: '8000000' },
  ];
  for (const caller of who.filter(({ name }) => selected.length === 0 || selected.some((word) => name.endsWith(word))))
    await compare(createCase(caller), { url: apiUrl, pid: server.runtime.pid, databaseUrl, owner, port: ports + 6 });
  await owner.end();
  await server.close();
}

await main();
