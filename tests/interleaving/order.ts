import { ProviderError } from '#server/providers/call.ts';
import { expect } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { constants } from '#rules/venue.ts';
import { readCodeHold } from '#server/operations/access/code-hold.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { HOUR, MINUTE, START } from '#tests/operations/booking-system.ts';
import { onDb, tryMove } from './changes.ts';
import type { Subject, World } from './world.ts';

/** Checks what must hold whatever others did. */

type Hours = { readonly status: string; readonly start: Date; readonly end: Date };
type Ended = {
  readonly status: string;
  readonly cost: number;
  /** What staff decided about the money when they cancelled, or null if they decided nothing. */
  readonly refund: string | null;
  /** Number of parts that were refunded, and of those, the ones refunded because of a move. */
  readonly parts: number;
  readonly moved: number;
  /** The amount paid for new hours that the booking did not get. */
  readonly late: number;
  /** The amount that people refunded directly at the provider. */
  readonly outside: number;
};

/**
 * Lets time pass until nothing is left to do: events arrive, holds expire, jobs run. Then checks that the money of the booking is where the
 * decisions put it, to the cent, and that the code, the hours and the discount code are correct.
 */
export async function requireOrder(world: World, subject: Subject): Promise<void> {
  const { db, system, requireMoney } = world;
  await system.jobs.drain();
  await settleAll(world);
  await system.jobs.drain();
  await requireCode(world, subject);
  await requireNothingToPay(world, subject);
  // A failed refund is repeated after a day, and the bank may take its time again.
  system.state.now += 26 * HOUR;
  await releaseExpiredHolds(system.services);
  for (let round = 0; round < 2; round += 1) {
    await settleAll(world);
    await system.jobs.drain();
  }
  await settleAll(world);

  const ended = await readEnded(db, subject.id);
  const { paid, returned } = subject.ofOrder ? await moneyOfOrder(world, subject) : await requireMoney(subject.id);
  // No payment is refunded twice, and none is forgotten.
  if (subject.ofOrder) await requireOrderMoney(db, subject, paid - returned);
  else if (ended.status === 'cancelled' && ended.refund !== 'none')
    expect(returned, 'back of a cancelled booking').toBe(paid);
  else if (ended.outside === 0) {
    expect(returned, 'back of what was decided').toBe(ended.parts + ended.late);
    if (ended.status === 'confirmed')
      expect(paid - returned, 'kept for a confirmed booking').toBe(ended.cost - (ended.parts - ended.moved));
  }
  await requireCode(world, subject);
  await requireHours(world, subject);
  const decided = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.id_review r join public.id_verifications v on v.id = r.verification_id
     where v.user_id = $1::uuid and (v.verification_status = 'review' or r.decision <> 'approve' and v.verification_status = 'verified')`,
    [subject.person],
  );
  expect(decided?.n, 'IDs whose state is not the decision about them').toBe(0);
  const kept = await db.queryRow<{ cancelled: boolean }>(
    `select b.cancelled_at >= m.kept_at as cancelled from private.missing_id m join private.booking b on b.id = m.booking_id
     where b.id = $1::uuid and m.kept_at is not null`,
    [subject.id],
  );
  expect(kept?.cancelled, 'cancelled although staff keep it').not.toBe(true);
}

/**
 * Returns what was paid and refunded for an order, each of whose bookings has a share of one payment. Checks that our figures and the
 * provider's agree.
 */
async function moneyOfOrder({ db, payments, system }: World, { id, session }: Subject) {
  await system.jobs.drain();
  await settlePayment(system.services, session);
  const ours = await db.queryRow<{ paid: number; counted: number }>(
    `select coalesce(sum(p.paid_cents), 0)::int as paid, coalesce(sum(p.refunded_cents), 0)::int as counted
     from private.payment p join private.booking b on b.id = p.booking_id
     where b.order_id = (select order_id from private.booking where id = $1::uuid)`,
    [id],
  );
  const { amountCents, paymentIntentId } = await payments.getSession(session);
  const refunds = await payments.listRefunds(paymentIntentId ?? '');
  const returned = refunds
    .filter(({ status }) => status === 'succeeded')
    .reduce((total, refund) => total + refund.amountCents, 0);
  expect(ours, 'our figures of an order').toEqual({ paid: ours?.paid === 0 ? 0 : amountCents, counted: returned });
  return { paid: ours?.paid ?? 0, returned };
}

/**
 * Requires that the part of an order's payment that is kept equals the price of its bookings that are confirmed or were cancelled without a
 * refund, less the parts that were refunded.
 */
async function requireOrderMoney(db: Database, { id }: Subject, kept: number): Promise<void> {
  const order = await db.queryRow<{ price: number; parts: number; outside: number }>(
    `select (select coalesce(sum(case when b.status = 'confirmed' then b.final_cost_cents
           else (select coalesce(sum(p.paid_cents), 0) from private.payment p where p.booking_id = b.id) end), 0)::int
         from private.booking b left join private.cancellation c on c.booking_id = b.id
         where b.order_id = f.order_id and (b.status = 'confirmed' or c.refund = 'none')) as price,
       (select coalesce(sum(x.amount_cents), 0)::int from private.partial_refund x join private.payment p on p.id = x.payment_id
         join private.booking b on b.id = p.booking_id where b.order_id = f.order_id and x.state <> 'covered') as parts,
       (select coalesce(sum(x.amount_cents), 0)::int from private.refund x join private.payment p on p.id = x.payment_id
         join private.booking b on b.id = p.booking_id where b.order_id = f.order_id and not x.ours) as outside
     from private.booking f where f.id = $1::uuid and f.order_id is not null`,
    [id],
  );
  if (order === null) throw new Error('the order is gone');
  if (order.outside > 0) return;
  expect(kept, 'kept for an order').toBeLessThanOrEqual(order.price);
  expect(kept, 'kept for an order').toBeGreaterThanOrEqual(order.price - order.parts);
}

async function readEnded(db: Database, id: string): Promise<Ended> {
  const ended = await db.queryRow<Ended>(
    `select b.status, b.final_cost_cents as cost, (select c.refund from private.cancellation c where c.booking_id = b.id) as refund,
       coalesce(r.parts, 0)::int as parts, coalesce(r.moved, 0)::int as moved,
       (select coalesce(sum(p.paid_cents), 0)::int from private.payment p join private.booking h on h.id = p.booking_id where h.moves_booking = b.id) as late,
       (select coalesce(sum(x.amount_cents), 0)::int from private.refund x join private.payment p on p.id = x.payment_id
         where p.booking_id = b.id and not x.ours) as outside
     from private.booking b left join lateral (
       select sum(x.amount_cents) as parts, sum(x.amount_cents) filter (where x.request_key like 'move:%') as moved
       from private.partial_refund x join private.payment p on p.id = x.payment_id where p.booking_id = b.id and x.state <> 'covered') r on true
     where b.id = $1::uuid`,
    [id],
  );
  if (ended === null) throw new Error('the booking is gone');
  return ended;
}

/** Returns whether the provider of this world knows the session. Throws every error other than the provider's. */
const isKnownSession = (world: World, id: string): Promise<boolean> =>
  world.payments.getSession(id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ProviderError) return false;
      throw error;
    },
  );

/** Lets the bank complete everything in progress, and delivers the provider's events about all sessions. */
async function settleAll(world: World): Promise<void> {
  const { rows } = await world.db.query<{ id: string }>(
    `select distinct p.session_id as id from private.payment p join private.booking b on b.id = p.booking_id
     where p.session_id is not null and (b.status <> 'cancelled' or b.cancelled_at >= $1::timestamptz)`,
    [new Date(START)],
  );
  for (const { id } of rows) {
    // The provider of this world does not know the sessions of earlier worlds.
    if (!(await isKnownSession(world, id))) continue;
    while (tryMove(world, id, 'dispute won')) continue;
    while (tryMove(world, id, 'refund succeeds')) continue;
    await settlePayment(onDb(world, world.db), id);
  }
}

/** Requires that a cancelled booking can no longer be paid for. */
async function requireNothingToPay({ db, payments }: World, { id }: Subject): Promise<void> {
  const { rows } = await db.query<{ id: string }>(
    `select p.session_id as id from private.payment p join private.booking b on b.id = p.booking_id
     where b.id = $1::uuid and b.status = 'cancelled' and p.session_id like 'cs_%'`,
    [id],
  );
  for (const session of rows)
    expect((await payments.getSession(session.id)).status, 'a pay page of a cancelled booking').not.toBe('open');
}

/** Returns how often the lock was asked for a code of the booking, or null if the booking is not cancelled. */
export async function requestsOfCancelled({ db, system }: World, { id }: Subject): Promise<number | null> {
  const row = await db.queryRow<{ reference: string }>(
    `select reference from private.booking where id = $1::uuid and status = 'cancelled'`,
    [id],
  );
  return row && system.state.requests.filter(({ accessName }) => accessName.startsWith(row.reference)).length;
}

/** Returns whether a booking must have a code by now: it is about to start or is running, and no dispute holds the code. */
async function needsCode({ db, system }: World, id: string, { status, start, end }: Hours): Promise<boolean> {
  const now = system.state.now;
  const isNear = now >= start.getTime() - constants.requestLeadMinutes * MINUTE && now < end.getTime();
  return status === 'confirmed' && isNear && (await readCodeHold(db, id)) === null;
}

/**
 * Requires that only a confirmed booking has a code at the lock, and exactly one once it is about to start. A guest whose invitation was
 * withdrawn and a revoked code of staff must not have one.
 */
async function requireCode(world: World, { id }: Subject): Promise<void> {
  const { db, system, staff } = world;
  const row = await db.queryRow<Hours & { reference: string }>(
    'select reference, status, start_time as start, end_time as "end" from private.booking where id = $1::uuid',
    [id],
  );
  const codes = [...system.state.codes].filter(([, name]) => name.startsWith(row?.reference ?? 'none'));
  if (row?.status !== 'confirmed') expect(codes, 'codes of a booking that is not confirmed').toEqual([]);
  expect(codes.filter(([, name]) => name === row?.reference).length, 'codes of a booking').toBeLessThanOrEqual(1);
  if (row !== null && (await needsCode(world, id, row)))
    expect(
      codes.map(([, name]) => name),
      'codes of a booking that is near',
    ).toContain(row.reference);
  for (const [key] of codes) {
    const request = system.state.requests.find(({ lockId, pin }) => `${lockId}:${pin}` === key);
    const others = await db.queryRow<{ n: number }>(
      `select count(*)::int as n from private.booking b where b.id <> $1::uuid and b.moves_booking is distinct from $1::uuid and b.status <> 'cancelled'
         and b.during && tstzrange($2::timestamptz, $3::timestamptz, '[)')`,
      [id, request?.startsAt, request?.endsAt],
    );
    expect(others?.n, 'the code opens during the hours of others').toBe(0);
    if (row && request)
      expect(request.endsAt > row.start && request.startsAt < row.end, 'the code is for other hours').toBe(true);
  }
  const guests = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.crew_member where booking_id = $1::uuid and state = 'joined'`,
    [id],
  );
  const ofGuests = codes.filter(([, name]) => name !== row?.reference);
  expect(ofGuests.length, 'codes of guests').toBeLessThanOrEqual(guests?.n ?? 0);
  const issued = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.staff_code where made_by = $1::uuid and status in ('issued', 'requested')`,
    [staff],
  );
  const ofStaff = [...system.state.codes.values()].filter((name) => name === 'Cleaner');
  expect(ofStaff.length, 'codes of staff').toBeLessThanOrEqual(issued?.n ?? 0);
  const mayHave = await db.queryRow('select from public.staff_permissions where user_id = $1::uuid', [staff]);
  if (mayHave === null) expect(ofStaff, 'codes of people who are not staff any more').toEqual([]);
}

/** Requires that no hours are given twice or during a closure, and that no discount code is used more often than allowed. */
async function requireHours({ db, coupon }: World, { person }: Subject): Promise<void> {
  const overlaps = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.booking a join private.booking b on a.id < b.id and a.studio_id = b.studio_id and a.during && b.during
     where a.status <> 'cancelled' and b.status <> 'cancelled'`,
  );
  const closed = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.booking b join private.closed_span c on c.studio_id = b.studio_id and c.during && b.during
     where b.status <> 'cancelled'`,
  );
  expect({ overlaps: overlaps?.n, closed: closed?.n }).toEqual({ overlaps: 0, closed: 0 });
  const code = await db.queryRow(
    `select d.current_uses as uses, (select count(*)::int from private.coupon_redemption r where r.coupon_id = d.id and r.state <> 'returned') as kept
     from public.discount_codes d where d.code = $1`,
    [coupon],
  );
  expect([
    { uses: 0, kept: 0 },
    { uses: 1, kept: 1 },
  ]).toContainEqual(code);
  const afterBlock = await db.queryRow<{ n: number }>(
    `select count(*)::int as n from private.booking b join private.customer_block c on c.user_id = b.user_id
     where b.user_id = $1::uuid and (b.confirmed_at > c.blocked_at or b.created_at > c.blocked_at
       or exists (select from private.booking_move m where m.booking_id = b.id and m.actor = b.user_id and m.created_at > c.blocked_at))`,
    [person],
  );
  expect(afterBlock?.n, 'bookings and moves of a blocked customer').toBe(0);
}
