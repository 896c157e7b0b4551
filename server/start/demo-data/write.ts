import { createHash } from 'node:crypto';
import type { Rates } from '#rules/pricing.ts';
import type { Database, Transaction } from '#server/db/database.ts';
import { queueAccess } from '#server/operations/access/queue-access.ts';
import { DEMO_DOMAIN } from '../demo-accounts.ts';
import { type DemoPerson, makePeople } from './people.ts';
import { DEMO_COUPON, type PlannedBooking, planBookings } from './plan.ts';

const CUSTOMERS = 60;
/** Bookings per transaction: few enough to stay below the time limit of a statement on a busy machine. */
const CHUNK = 25;
const MINUTE = 60_000;
/** SQLSTATEs of a statement that exceeded its time limit, a deadlock, and a serialization failure. */
const REPEATABLE: ReadonlySet<unknown> = new Set(['57014', '40P01', '40001']);
const TRIES = 4;

/** What was written, or null if the demo is already there. */
export type DemoWritten = { readonly customers: number; readonly bookings: number } | null;
/** The payment provider. Each call may be repeated. */
export type DemoProvider = {
  /** Pays a booking, so that it can be refunded. */
  readonly pay: (booking: {
    readonly id: string;
    readonly cents: number;
    readonly email: string;
  }) => Promise<{ readonly session: string; readonly intent: string }>;
  /** Adds completed payments and refunds. */
  readonly addPast: () => Promise<void>;
};

/**
 * Writes three months of realistic bookings, with their payments and refunds, in small transactions. The next run continues one that was
 * interrupted: the plan and all ids derive from the time of the first run. A booking is paid at the provider once its hours are held, and
 * then confirmed. Idempotent: writes nothing if the demo is already there.
 */
export async function writeDemo(db: Database, clock: Date, provider: DemoProvider): Promise<DemoWritten> {
  const now = await beginOrContinue(db, clock);
  if (now === null) return null;
  const { rows: studios } = await db.query<{ id: string; name: string; rates: Rates }>(
    `select s.id, s.name, private.rates_json(s.id, '2000-01-01', '2199-12-31') as rates from public.studios s where s.active order by s.name`,
  );
  const planned = planBookings(
    now,
    studios.map(({ rates }) => rates),
    CUSTOMERS,
  );
  const people = createPeople(planned, now);
  const rows = planned.map((booking) => toRow(booking, studios, people, now));
  await repeated(db, (tx) => addPeople(tx, people));
  await db.query(
    `insert into public.discount_codes (code, discount_type, discount_value) values ($1, $2, $3) on conflict do nothing`,
    [DEMO_COUPON.code, DEMO_COUPON.discountType, DEMO_COUPON.discountValue],
  );
  for (let index = 0; index < rows.length; index += CHUNK)
    await repeated(db, (tx) => addBookings(tx, rows.slice(index, index + CHUNK)));
  for (const row of rows.filter(({ outcome }) => outcome === 'to pay')) await payAndConfirm(db, row, provider, now);
  await provider.addPast();
  await db.query(`update private.settings set value = value || '{"done": true}' where name = 'demo'`);
  return { customers: people.length, bookings: rows.length };
}

/** Returns the time at which the plan begins: `now`, or the time of the interrupted run. Returns null if the demo is already there. */
async function beginOrContinue(db: Database, now: Date): Promise<Date | null> {
  const begun = await db.queryRow<{ at: string; done: boolean }>(
    `select value ->> 'begun' as at, value ? 'done' as done from private.settings where name = 'demo'`,
  );
  if (begun !== null) return begun.done ? null : new Date(begun.at);
  // An earlier version, which wrote everything at once, has created the demo.
  if (await db.queryRow('select from auth.users where email like $1 limit 1', [`%@${DEMO_DOMAIN}`])) return null;
  await db.query(`insert into private.settings (name, value) values ('demo', $1::jsonb)`, [{ begun: now }]);
  return now;
}

/** Runs a transaction and retries it after a temporary failure; every step is idempotent. */
async function repeated(db: Database, work: (tx: Transaction) => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction(work);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (tries === TRIES || !REPEATABLE.has(code)) throw error;
    }
  }
}

/** Pays held hours at the provider and confirms them. Does nothing if the booking is confirmed already or its hold has been released. */
async function payAndConfirm(db: Database, row: Row, { pay }: DemoProvider, now: Date): Promise<void> {
  const pending = `from private.booking b where b.id = $1::uuid and b.status = 'pending'`;
  if ((await db.queryRow(`select ${pending}`, [row.id])) === null) return;
  const { session, intent } = await pay({ id: row.id, cents: row.total, email: row.email });
  await repeated(db, async (tx) => {
    if ((await tx.queryRow(`select ${pending} for update`, [row.id])) === null) return;
    await tx.query(
      `update private.payment set state = 'paid', session_id = $2, payment_intent_id = $3, paid_cents = amount_cents, paid_at = $4::timestamptz
       where id = $1::uuid`,
      [row.payment_id, session, intent, row.paid_at],
    );
    await tx.query(
      `update private.booking set status = 'confirmed', confirmed_at = $2::timestamptz where id = $1::uuid`,
      [row.id, row.paid_at],
    );
    if (row.start_time > now) await queueAccess(tx, { id: row.id, start: row.start_time, hasAddress: true }, now);
  });
}

/** Derives an id from words: a UUID of version 8 (RFC 9562). Equal words give equal ids. */
function deriveId(...words: readonly string[]): string {
  const hex = createHash('sha256').update(words.join('\n')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

type Person = DemoPerson & { readonly id: string; readonly since: Date };

/** Returns the customers, each of whom signed up an hour before their first booking. */
const createPeople = (planned: readonly PlannedBooking[], now: Date): readonly Person[] =>
  makePeople(CUSTOMERS).map((person, index) => {
    const created = planned.filter(({ customer }) => customer === index).map(({ createdAt }) => createdAt.getTime());
    return {
      ...person,
      id: deriveId('demo', now.toISOString(), person.email),
      since: new Date(Math.min(now.getTime(), ...created) - 60 * MINUTE),
    };
  });

/** Adds the customers in the state after sign-up: verified, with accepted terms. Idempotent: one transaction adds all of them. */
async function addPeople(tx: Transaction, people: readonly Person[]): Promise<void> {
  if ((await tx.queryRow('select from auth.users where id = $1::uuid', [people[0]?.id])) !== null) return;
  const json = JSON.stringify(people);
  const from = `from jsonb_to_recordset($1::jsonb) as p(id uuid, name text, email text, phone text, since timestamptz)`;
  await tx.query(
    `insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data, created_at)
     select p.id, p.email, p.since, jsonb_build_object('full_name', p.name, 'phone', p.phone, 'date_of_birth', '1998-04-03'), p.since ${from}`,
    [json],
  );
  await tx.query(
    `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at, created_at, extracted_full_name, extracted_dob, is_over_18)
     select p.id, 'staff', 'verified', p.since, p.since + interval '24 months', p.since, p.name, '1998-04-03', true ${from}`,
    [json],
  );
  await tx.query(
    `insert into public.terms_acceptances (user_id, version, accepted_at) select p.id, private.business_settings() ->> 'termsVersion', p.since ${from}`,
    [json],
  );
}

type Row = ReturnType<typeof toRow>;

function toRow(
  { customer, studio: at, start, end, quote, outcome, createdAt, endedAt, withCoupon }: PlannedBooking,
  studios: readonly { id: string; name: string }[],
  people: readonly Person[],
  now: Date,
) {
  const person = people[customer];
  const id = deriveId('demo', now.toISOString(), person?.email ?? '', studios[at]?.id ?? '', start.toISOString());
  return {
    id,
    user_id: person?.id,
    email: person?.email ?? '',
    studio_id: studios[at]?.id,
    studio_name: studios[at]?.name,
    start_time: start,
    end_time: end,
    // A booking that has not ended is paid at the provider, so that it can be refunded.
    outcome: outcome === 'confirmed' && end > now ? ('to pay' as const) : outcome,
    total_hours: quote.hours,
    slots: quote.slots,
    base: quote.baseCents,
    discount: quote.discountCents,
    coupon: withCoupon ? DEMO_COUPON : null,
    coupon_discount: quote.couponDiscountCents,
    total: quote.totalCents,
    phone: person?.phone,
    created_at: createdAt,
    paid_at: new Date(createdAt.getTime() + 2 * MINUTE),
    ended_at: endedAt,
    payment_id: deriveId(id, 'payment'),
    session: `cs_test_demo_${id}`,
    intent: `pi_demo_${id}`,
    refund: `re_demo_${id}`,
  };
}

const ROWS = `from jsonb_to_recordset($1::jsonb) as r(id uuid, user_id uuid, studio_id uuid, studio_name text, start_time timestamptz, end_time timestamptz,
  outcome text, total_hours numeric, slots jsonb, base int, discount int, coupon jsonb, coupon_discount int, total int, phone text,
  created_at timestamptz, paid_at timestamptz, ended_at timestamptz, payment_id uuid, session text, intent text, refund text)`;

/**
 * Adds bookings step by step as the product does, so that every constraint holds: held, paid, confirmed, and some cancelled and refunded.
 * Bookings to pay stay held. Skips bookings that exist already, and hours that another customer has booked since.
 */
async function addBookings(tx: Transaction, planned: readonly Row[]): Promise<void> {
  const added = await tx.query<{ id: string }>(
    `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, slots,
       base_cost_cents, discount_cents, coupon_id, coupon_terms, coupon_discount_cents, final_cost_cents, terms_version, policy, contact_phone, created_at)
     select r.id, private.new_reference(), r.user_id, r.studio_id, r.studio_name, r.start_time, r.end_time, 'pending', r.created_at + interval '15 minutes',
       r.total_hours, r.slots, r.base, r.discount, d.id, case when d.id is not null then r.coupon end, r.coupon_discount, r.total,
       s ->> 'termsVersion', jsonb_build_object('freeCancelHours', s -> 'freeCancelHours'), r.phone, r.created_at
     ${ROWS} cross join private.business_settings() s left join public.discount_codes d on d.code = r.coupon ->> 'code'
     on conflict do nothing returning id`,
    [JSON.stringify(planned)],
  );
  const ids = new Set(added.rows.map(({ id }) => id));
  const json = JSON.stringify(planned.filter(({ id }) => ids.has(id)));
  await tx.query(
    `with redeemed as (
       insert into private.coupon_redemption (booking_id, coupon_id, user_id, created_at)
       select b.id, b.coupon_id, b.user_id, b.created_at from private.booking b
       where b.id = any (array(select r.id ${ROWS})) and b.coupon_id is not null returning coupon_id
     )
     update public.discount_codes d set current_uses = d.current_uses + u.n
     from (select coupon_id, count(*)::int as n from redeemed group by 1) u where d.id = u.coupon_id`,
    [json],
  );
  await tx.query(
    `insert into private.payment (id, booking_id, attempt, kind, state, key, session_id, payment_intent_id, amount_cents, paid_cents, paid_at, created_at)
     select r.payment_id, r.id, 1, 'card', case r.outcome when 'not paid' then 'expired' when 'to pay' then 'intent' else 'paid' end, 'demo:' || r.id,
       case when r.outcome <> 'to pay' then r.session end, case when r.outcome in ('confirmed', 'refunded') then r.intent end, r.total,
       case when r.outcome in ('confirmed', 'refunded') then r.total end, case when r.outcome in ('confirmed', 'refunded') then r.paid_at end,
       r.created_at ${ROWS}`,
    [json],
  );
  await tx.query(
    `update private.booking b set status = 'confirmed', confirmed_at = r.paid_at ${ROWS} where b.id = r.id and r.outcome in ('confirmed', 'refunded')`,
    [json],
  );
  await tx.query(
    `update private.booking b set status = 'cancelled', cancelled_at = r.ended_at,
       cancel_reason = case r.outcome when 'refunded' then 'customer' else 'hold_expired' end ${ROWS} where b.id = r.id and r.outcome in ('refunded', 'not paid')`,
    [json],
  );
  await tx.query(
    `insert into private.refund (id, payment_id, amount_cents, status, ours, created_at)
     select r.refund, r.payment_id, r.total, 'succeeded', true, r.ended_at ${ROWS} where r.outcome = 'refunded'`,
    [json],
  );
  await tx.query(
    `update private.payment p set state = 'refunded', refunded_cents = p.paid_cents, refund_id = r.refund, refund_reason = 'customer'
     ${ROWS} where p.id = r.payment_id and r.outcome = 'refunded'`,
    [json],
  );
}
