import { createServer, type Server } from 'node:http';
import pg from 'pg';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { addCustomer, STUDIO_A } from '#tests/support/test-server.ts';
import { CALLERS, perSecond, say } from './compare.ts';
import { load } from './load.ts';
import { pgbench } from './pgbench.ts';
import { openBenchServer } from './test-server.ts';

/** Measures holds by `create-payment` beside pgbench running the same statements. */
const HOLDERS = 400;
const SECONDS = 6;
const HOUR = 3_600_000;

/** A payment provider that answers at once, so that only our own time is measured. */
async function instantPayments(port: number): Promise<Server> {
  let made = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      made += 1;
      const booking = new URLSearchParams(body).get('client_reference_id');
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          id: `cs_bench_${made}`,
          object: 'checkout.session',
          url: 'http://localhost/pay',
          status: 'open',
          payment_status: 'unpaid',
          amount_total: 4900,
          currency: 'aud',
          client_reference_id: booking,
          livemode: false,
          metadata: {},
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(port, resolve));
  return server;
}

async function main(): Promise<void> {
  const server = await openBenchServer();
  const { databaseUrl, ports, env } = server;
  // The sandbox took its ports from the first on; this is the payment provider's.
  const provider = await instantPayments(ports + 1);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const target = await compose(readConfig({ ...env, PORT: String(ports + 5) }));
  const customers: { id: string; token: string }[] = [];
  for (let at = 0; at < HOLDERS; at += 1) customers.push(await addCustomer(target, new Date()));
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
  const ids = customers.map((one) => `'${one.id}'`).join(',');
  await owner.query(
    `create table private.bench_user as select row_number() over () as at, id from unnest(array[${ids}]::uuid[]) id`,
  );
  await owner.query('create sequence private.bench_hour start 3000000');
  const limit = await pgbench(databaseUrl, HOLD_SCRIPT, { connections: CALLERS, seconds: SECONDS });
  say(
    `holds: ${perSecond(held)}, pgbench with the same statements ${perSecond(limit)}, ratio ${(held / limit).toFixed(2)} (goal 0.20)`,
  );
  await owner.end();
  await server.close();
  await new Promise<void>((resolve) => {
    provider.close(() => resolve());
    provider.closeAllConnections();
  });
}

/** The hold with number `at`: another hour of another studio each time. */
function holdRequest(
  token: string,
  at: number,
  begin: number,
): { method: string; path: string; headers: Record<string, string>; body: string } {
  const start = begin + Math.floor(at / 3) * HOUR;
  const studioId = `5a000000-0000-4000-8000-00000000000${'abc'[at % 3] ?? 'a'}`;
  const metadata = {
    studioId,
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + HOUR).toISOString(),
    couponCode: null,
    termsAccepted: true,
  };
  return {
    method: 'POST',
    path: '/functions/v1/create-payment',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ metadata }),
  };
}

const HOLD_SCRIPT = `\\set u random(1, ${HOLDERS})
select private.take_limit('create-payment', 'user:' || :u, 1000000, 60, now());
select private.checkout_json((select id from private.bench_user where at = :u), '${STUDIO_A}', null, 1, now());
select private.hold_booking(jsonb_build_object('userId', (select id from private.bench_user where at = :u), 'studioId', '${STUDIO_A}', 'studioName', 'Studio A', 'startTime', timestamptz '1980-01-01' + h * interval '1 hour', 'endTime', timestamptz '1980-01-01' + (h + 1) * interval '1 hour', 'holdExpiresAt', now() + interval '15 minutes', 'sessionExpiresAt', now() + interval '31 minutes', 'totalHours', 1, 'slots', '[]'::jsonb, 'baseCostCents', 4900, 'discountCents', 0, 'couponDiscountCents', 0, 'finalCostCents', 4900, 'termsVersion', '2025-10', 'policy', '{}'::jsonb, 'maxLiveHolds', 1000000, 'holdsPerHour', 1000000), now()) from nextval('private.bench_hour') h;
update private.payment set state = 'open', session_id = 'cs_' || gen_random_uuid(), url = 'x' where id = (select id from private.payment where state = 'intent' limit 1 for update skip locked);
`;

await main();
