import pg from 'pg';
import type { Bookings } from './bookings.ts';
import { untilTrue } from './programs.ts';
import type { Servers } from './servers.ts';

const SETTLE_SECONDS = 300;

type Row = { id: string; reference: string; status: string; state: string | null; cents: number | null };

/** Waits until everything that was begun has ended, and returns every fault: what was lost, and what was done twice. */
export async function audit(superuserUrl: string, bookings: Bookings, servers: Servers): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await untilTrue('all payments are bookings and all mails are sent', SETTLE_SECONDS, async () => {
      const { rows } = await client.query<{ open: number }>(
        `select (select count(*) from private.outbox where done_at is null and closed_at is null and due_at <= now())::int
           + (select count(*) from private.payment p join private.booking b on b.id = p.booking_id
              where p.session_id = any($1) and b.status = 'pending')::int as open`,
        [[...bookings.paid.values()]],
      );
      return rows[0]?.open === 0;
    }).catch(() => undefined); // What is still open is a fault below.
    const { rows } = await client.query<Row>(
      `select b.id, b.reference, b.status::text, p.state, p.paid_cents as cents from private.booking b
       left join private.payment p on p.booking_id = b.id and p.session_id is not null where b.id = any($1::uuid[])`,
      [[...bookings.held]],
    );
    const { rows: twice } = await client.query<{ id: string }>(
      `select a.id from private.booking a join private.booking b on a.id < b.id and a.studio_id = b.studio_id
         and a.start_time < b.end_time and b.start_time < a.end_time where a.status in ('pending', 'confirmed') and b.status in ('pending', 'confirmed')`,
    );
    return [
      ...lostHolds(rows, bookings),
      ...wrongPayments(rows, bookings),
      ...wrongMails(rows, servers),
      ...twice.map(({ id }) => `${id}: its hours are sold twice`),
      ...(await moneyFaults(client, servers, bookings)),
    ];
  } finally {
    await client.end();
  }
}

function lostHolds(rows: readonly Row[], { held }: Bookings): string[] {
  const found = new Set(rows.map(({ id }) => id));
  return [...held].filter((id) => !found.has(id)).map((id) => `${id}: an acknowledged hold is missing`);
}

function wrongPayments(rows: readonly Row[], { paid }: Bookings): string[] {
  return [...paid.keys()].flatMap((id) => {
    const own = rows.filter((row) => row.id === id && row.state === 'paid');
    const [one] = own;
    if (own.length === 1 && one?.status === 'confirmed') return [];
    return [`${id}: paid, and there are ${own.length} payments of a booking that is ${one?.status ?? 'missing'}`];
  });
}

function wrongMails(rows: readonly Row[], { mailbox }: Servers): string[] {
  return rows
    .filter(({ status }) => status === 'confirmed')
    .flatMap(({ id, reference }) => {
      const count = mailbox.confirmations.get(reference)?.size ?? 0;
      return count === 1 ? [] : [`${id}: ${count} confirmations`];
    });
}

/** Each cent that the provider took belongs to one payment here. */
async function moneyFaults(client: pg.Client, { sandboxUrl }: Servers, { paid }: Bookings): Promise<string[]> {
  type Session = { id: string; payment_status: string; amount_total: number };
  const sessions = (await (await fetch(`${sandboxUrl}/api/payments`)).json()) as Session[];
  const taken = sessions.filter(({ payment_status }) => payment_status === 'paid');
  const { rows } = await client.query<{ id: string; cents: number }>(
    `select session_id as id, paid_cents as cents from private.payment where state = 'paid' and session_id is not null`,
  );
  const ours = new Map(rows.map(({ id, cents }) => [id, cents]));
  return [
    ...taken
      .filter(({ id, amount_total }) => ours.get(id) !== amount_total)
      .map(
        ({ id, amount_total }) =>
          `${id}: the provider took ${amount_total} cents, and we know of ${ours.get(id) ?? 'nothing'}`,
      ),
    ...(taken.length < paid.size ? [`the provider knows ${taken.length} payments of ${paid.size}`] : []),
  ];
}
