import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer, STUDIO_A } from '#tests/support/test-server.ts';
import { HOUR, holdRequest, startInstantPayments } from './callers/holds.ts';
import { CALLERS, perSecond, say } from './limits/compare.ts';
import { load } from './callers/load.ts';
import { pgbench } from './limits/pgbench.ts';
import { openBenchServer } from './test-server.ts';

/** Measures holds by `create-payment`, compared with pgbench running the same statements. */
const HOLDERS = 400;
const SECONDS = 6;

async function main(): Promise<void> {
  const server = await openBenchServer();
  const { databaseUrl, ports, env } = server;
  // The sandbox's ports begin at `ports`. This one is the payment provider's.
  const provider = await startInstantPayments(ports + 1);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const target = await compose(readConfig({ ...env, PORT: String(ports + 5) }));
  const customers: { id: string; token: string }[] = [];
  for (let index = 0; index < HOLDERS; index += 1) customers.push(await addCustomer(target, new Date()));
  await target.close();
  const begin = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;
  await load(server.runtime.apiUrl, {
    connections: CALLERS,
    seconds: SECONDS,
    make: (at) => holdRequest(customers[at % HOLDERS]?.token ?? '', at, begin),
  });
  const { rows } = await owner.query<{ n: number }>(
    `select count(*)::int as n from private.booking where status = 'pending'`,
  );
  const held = (rows[0]?.n ?? 0) / SECONDS;
  const ids = customers.map((customer) => `'${customer.id}'`).join(',');
  await owner.query(
    `create table private.bench_user as select row_number() over () as at, id from unnest(array[${ids}]::uuid[]) id`,
  );
  await owner.query('create sequence private.bench_hour start 3000000');
  const clients = { connections: CALLERS, seconds: SECONDS };
  const limit = await pgbench(databaseUrl, HOLD_SCRIPT, clients);
  const unflushed = await pgbench(`${databaseUrl}?options=-csynchronous_commit%3Doff`, HOLD_SCRIPT, clients);
  say(
    `holds: ${perSecond(held)}, pgbench with the same statements ${perSecond(limit)}, ratio ${(held / limit).toFixed(2)} (goal 0.20); ` +
      `pgbench with commits that do not wait for the disk ${perSecond(unflushed)}`,
  );
  await owner.end();
  await server.close();
  await new Promise<void>((resolve) => {
    provider.close(() => resolve());
    provider.closeAllConnections();
  });
}

const HOLD_SCRIPT = `\\set u random(1, ${HOLDERS})
select private.take_limit('create-payment', 'user:' || :u, 1000000, 60, now());
select private.checkout_json((select id from private.bench_user where at = :u), '${STUDIO_A}', null, 1, now());
select private.hold_booking(jsonb_build_object('userId', (select id from private.bench_user where at = :u), 'studioId', '${STUDIO_A}', 'studioName', 'Studio A', 'startTime', timestamptz '1980-01-01' + h * interval '1 hour', 'endTime', timestamptz '1980-01-01' + (h + 1) * interval '1 hour', 'holdExpiresAt', now() + interval '15 minutes', 'sessionExpiresAt', now() + interval '31 minutes', 'totalHours', 1, 'slots', '[]'::jsonb, 'baseCostCents', 4900, 'discountCents', 0, 'couponDiscountCents', 0, 'finalCostCents', 4900, 'termsVersion', '2025-10', 'policy', '{}'::jsonb, 'maxLiveHolds', 1000000, 'holdsPerHour', 1000000), now()) from nextval('private.bench_hour') h;
update private.payment set state = 'open', session_id = 'cs_' || gen_random_uuid(), url = 'x' where id = (select id from private.payment where state = 'intent' limit 1 for update skip locked);
`;

await main();
