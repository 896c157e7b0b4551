import pg from 'pg';
import type { Bookings } from './bookings.ts';
import { listAt } from './client.ts';
import { pause } from './figures.ts';
import type { Servers } from './servers.ts';

/** How long the audit waits without progress, in milliseconds. Whatever is still open then is a fault. */
const PROGRESS_MS = 120_000;

type Row = {
  id: string;
  reference: string;
  status: string;
  state: string | null;
  cents: number | null;
  refunded: number | null;
};

const OVERLAP = `from private.booking a join private.booking b on a.studio_id = b.studio_id and a.id <> b.id
  and b.start_time < a.end_time and b.end_time > a.start_time
  where a.status in ('pending', 'confirmed') and b.status in ('pending', 'confirmed')`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Returns how many of these acknowledged bookings are missing, and how many had their hours sold twice. */
export function lookAt(
  superuserUrl: string,
  ids: readonly string[],
): Promise<{ readonly lost: number; readonly double: number }> {
  return withClient(superuserUrl, async (client) => {
    const { rows } = await client.query<{ lost: number; double: number }>(
      `select (select count(*)::int from unnest($1::uuid[]) id where not exists (select from private.booking k where k.id = id)) as lost,
         (select count(*)::int ${OVERLAP} and a.id = any($1::uuid[])) as double`,
      [ids],
    );
    return rows[0] ?? { lost: NaN, double: NaN };
  });
}

/** Waits until all work that was begun has ended. Returns every fault: work that was lost or done twice. */
export function audit(superuserUrl: string, bookings: Bookings, servers: Servers): Promise<readonly string[]> {
  return withClient(superuserUrl, async (client) => {
    await untilEnded(client, bookings);
    const { rows } = await client.query<Row>(
      `select b.id, b.reference, b.status::text, p.state, p.paid_cents as cents, p.refunded_cents as refunded from private.booking b
       left join private.payment p on p.booking_id = b.id and p.session_id is not null where b.id = any($1::uuid[])`,
      [bookings.held],
    );
    const { rows: twice } = await client.query<{ id: string }>(`select a.id ${OVERLAP} and a.id < b.id`);
    return [
      ...lostHolds(rows, bookings),
      ...wrongPayments(rows, bookings),
      ...wrongMails(rows, servers),
      ...twice.map(({ id }) => `${id}: its hours are sold twice`),
      ...(await moneyFaults(client, servers, bookings)),
    ];
  });
}

async function untilEnded(client: pg.Client, { paid }: Bookings): Promise<void> {
  let [least, at] = [Infinity, performance.now()];
  for (;;) {
    const { rows } = await client.query<{ open: number }>(
      `select (select count(*) from private.outbox where done_at is null and closed_at is null and due_at <= now())::int
         + (select count(*) from private.payment p join private.booking b on b.id = p.booking_id
            where p.session_id = any($1) and b.status = 'pending')::int
         + (select count(*) from private.payment where state = 'refund_pending')::int as open`,
      [[...paid.values()]],
    );
    const open = rows[0]?.open ?? NaN;
    if (open === 0) return;
    if (open < least) [least, at] = [open, performance.now()];
    if (performance.now() - at > PROGRESS_MS) return; // The checks below report what is still open as a fault.
    await pause(500);
  }
}

function lostHolds(rows: readonly Row[], { held }: Bookings): string[] {
  const found = new Set(rows.map(({ id }) => id));
  return held.filter((id) => !found.has(id)).map((id) => `${id}: an acknowledged hold is missing`);
}

function wrongPayments(rows: readonly Row[], { paid, cancelled }: Bookings): string[] {
  const own = Map.groupBy(rows, ({ id }) => id);
  return [...paid.keys()].flatMap((id) => {
    const payments = (own.get(id) ?? []).filter(({ state }) => state === 'paid' || state === 'refunded');
    const [payment] = payments;
    const kept = payment?.status === 'confirmed' && payment.state === 'paid';
    const returned =
      payment?.status === 'cancelled' && payment.state === 'refunded' && payment.refunded === payment.cents;
    const cancellation = cancelled.get(id);
    if (payments.length === 1 && ((kept && cancellation !== true) || (returned && cancellation !== undefined)))
      return [];
    const what =
      cancellation === undefined ? 'paid' : cancellation ? 'paid and cancelled' : 'paid and perhaps cancelled';
    const found =
      payment === undefined
        ? 'no payment'
        : `${payments.length} payments (${payment.state}) of a ${payment.status} booking`;
    return [`${id}: ${what}, and there is ${found}`];
  });
}

function wrongMails(rows: readonly Row[], { mailbox }: Servers): string[] {
  return rows
    .filter(({ status }) => status === 'confirmed' || status === 'cancelled')
    .flatMap(({ id, reference, status }) => {
      const count = mailbox.confirmations.get(reference)?.size ?? 0;
      // A booking that is cancelled before its confirmation was sent does not get one.
      return count === 1 || (count === 0 && status === 'cancelled') ? [] : [`${id}: ${count} confirmations`];
    });
}

/** Each cent that the provider took or refunded belongs to one payment here. Returns the exceptions. */
async function moneyFaults(client: pg.Client, { sandboxUrl }: Servers, { paid }: Bookings): Promise<string[]> {
  type Session = { id: string; payment_status: string; payment_intent: string | null; amount_total: number };
  type Refund = { payment_intent: string; status: string; amount: number };
  const sessions = await listAt<Session>(sandboxUrl, 'payments');
  const taken = sessions.filter(({ payment_status }) => payment_status === 'paid');
  const returned = new Map<string, number>();
  for (const { payment_intent: of, status, amount } of await listAt<Refund>(sandboxUrl, 'refunds'))
    if (status === 'succeeded') returned.set(of, (returned.get(of) ?? 0) + amount);
  const { rows } = await client.query<{ id: string; cents: number; refunded: number }>(
    `select session_id as id, paid_cents as cents, refunded_cents as refunded from private.payment
     where state in ('paid', 'refunded') and session_id is not null`,
  );
  const ours = new Map(rows.map((row) => [row.id, row]));
  return [
    ...taken.flatMap(({ id, amount_total, payment_intent }) => {
      const own = ours.get(id);
      const back = returned.get(payment_intent ?? '') ?? 0;
      if (own?.cents === amount_total && own.refunded === back) return [];
      return [
        `${id}: the provider took ${amount_total} cents and gave ${back} back, and we know of ${own?.cents ?? 'nothing'} and ${own?.refunded ?? 'nothing'}`,
      ];
    }),
    ...(taken.length < paid.size ? [`the provider knows ${taken.length} payments of ${paid.size}`] : []),
  ];
}
