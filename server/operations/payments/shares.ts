import type { Transaction } from '#server/db/database.ts';
import type { PaymentSession, Refund } from '#server/providers/ports.ts';
import {
  type BookingFacts,
  lockBooking,
  type PaymentFacts,
  type PaymentJson,
  toPayment,
} from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { takenCents } from './payment-rows.ts';
import { coveredCents, idInKey } from './refund-keys.ts';

type Share = { readonly booking: BookingFacts; readonly payment: PaymentFacts };
/** What a session pays for: one booking, or a whole series starting with its first booking. */
export type Shares = readonly [Share, ...Share[]];

/**
 * Finds and locks the payments of a session by its id, or by the key of the create call if its answer was lost. `locked`: the bookings of
 * its series, or the booking that it names. Throws `Refusal('not_found')` for an unknown session.
 */
export async function lockShares(
  tx: Transaction,
  locked: readonly BookingFacts[],
  session: PaymentSession,
): Promise<Shares> {
  const first = await lockFirst(tx, locked[0]?.id ?? null, session);
  if (first === null) throw new Refusal('not_found', 'Booking not found');
  const rest: Share[] = [];
  for (const payment of await lockRest(tx, first.id)) rest.push(await withBooking(tx, locked, payment));
  if (first.sessionId === null)
    await tx.query('update private.payment set session_id = $2 where id = $1::uuid or share_of = $1::uuid', [
      first.id,
      session.id,
    ]);
  return [await withBooking(tx, locked, first), ...rest];
}

async function lockFirst(
  tx: Transaction,
  bookingId: string | null,
  session: PaymentSession,
): Promise<PaymentFacts | null> {
  const row = await tx.queryRow<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x
     where (x.share_of is null or x.share_of = x.id) and (
       x.session_id = $2 and ($1::uuid in (x.booking_id, (select b.id from private.booking b where b.id = $1::uuid and b.moves_booking = x.booking_id)))
       or x.booking_id = $1::uuid and x.session_id is null and x.state in ('intent', 'expired') and x.key = $3)
     order by x.session_id = $2 desc nulls last limit 1 for update`,
    [bookingId, session.id, session.metadata['key'] ?? ''],
  );
  return row && toPayment(row.facts);
}

/** Locks the other payments of a series, in the order of its bookings. */
async function lockRest(tx: Transaction, paymentId: string): Promise<readonly PaymentFacts[]> {
  const { rows } = await tx.query<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x join private.booking b on b.id = x.booking_id
     where x.share_of = $1::uuid and x.id <> $1::uuid order by b.order_place for update of x`,
    [paymentId],
  );
  return rows.map(({ facts }) => toPayment(facts));
}

/** Pairs a payment with its booking. The payment of a move belongs to the booking that moved, which was locked with its hold. */
async function withBooking(tx: Transaction, locked: readonly BookingFacts[], payment: PaymentFacts): Promise<Share> {
  const booking = locked.find(({ id }) => id === payment.bookingId) ?? (await lockBooking(tx, payment.bookingId));
  if (booking === null) throw new Refusal('not_found', 'Booking not found');
  return { booking, payment };
}

/**
 * Selects the refunds of one payment of a series from those of its session at the provider. Our own refunds name their payment in their
 * key. A refund that a person made at the provider is divided once among all payments of the series, in proportion to what is left of each,
 * and the parts are stored. For a payment with its own session, all refunds are returned.
 */
export async function selectRefunds(
  tx: Transaction,
  payment: PaymentFacts,
  refunds: readonly Refund[],
): Promise<readonly Refund[]> {
  if (payment.shareOf === null) return refunds;
  const all = await lockSeriesPayments(tx, payment.shareOf);
  const owners = await readOwners(tx, all);
  const findOwner = ({ key }: Refund): string | null => (key === null ? null : (owners.get(idInKey(key)) ?? null));
  const stored = await readStored(tx, all, refunds);
  const parts: Part[] = refunds.flatMap((refund) => {
    const owner = findOwner(refund);
    if (owner !== null) return [{ paymentId: owner, refund }];
    return stored
      .filter((row) => row.id === refund.id)
      .map((row) => ({ paymentId: row.paymentId, refund: { ...refund, amountCents: row.cents } }));
  });
  for (const refund of refunds) {
    if (findOwner(refund) !== null || stored.some(({ id }) => id === refund.id)) continue;
    const divided = divideCents(
      refund.amountCents,
      all.map((share) => getRemainingCents(share, parts)),
    );
    const added = all.flatMap((share, index) =>
      divided[index] ? [{ paymentId: share.id, refund: { ...refund, amountCents: divided[index] } }] : [],
    );
    await storeParts(tx, added);
    parts.push(...added);
  }
  return parts.flatMap((part) => (part.paymentId === payment.id ? [part.refund] : []));
}

type Part = { readonly paymentId: string; readonly refund: Refund };

const getRemainingCents = (payment: PaymentFacts, parts: readonly Part[]): number =>
  takenCents(payment) - coveredCents(parts.flatMap((part) => (part.paymentId === payment.id ? [part.refund] : [])));

/** Locks all payments of a series that share a session, the first one first. */
async function lockSeriesPayments(tx: Transaction, first: string): Promise<readonly PaymentFacts[]> {
  const { rows } = await tx.query<{ facts: PaymentJson }>(
    `select private.payment_json(x) as facts from private.payment x join private.booking b on b.id = x.booking_id
     where x.share_of = $1::uuid order by b.order_place for update of x`,
    [first],
  );
  return rows.map(({ facts }) => toPayment(facts));
}

/** Maps the ids that a key can contain, those of payments and partial refunds, to their payments. */
async function readOwners(tx: Transaction, all: readonly PaymentFacts[]): Promise<ReadonlyMap<string, string>> {
  const ids = all.map(({ id }) => id);
  const { rows } = await tx.query<{ id: string; paymentId: string }>(
    `select id, payment_id as "paymentId" from private.partial_refund where payment_id = any ($1::uuid[])`,
    [ids],
  );
  return new Map([...ids.map((id) => [id, id] as const), ...rows.map((row) => [row.id, row.paymentId] as const)]);
}

async function readStored(
  tx: Transaction,
  all: readonly PaymentFacts[],
  refunds: readonly Refund[],
): Promise<readonly { readonly id: string; readonly paymentId: string; readonly cents: number }[]> {
  const { rows } = await tx.query<{ id: string; paymentId: string; cents: number }>(
    `select id, payment_id as "paymentId", amount_cents as cents from private.refund
     where payment_id = any ($1::uuid[]) and id = any ($2::text[]) order by id, payment_id`,
    [all.map(({ id }) => id), refunds.map(({ id }) => id)],
  );
  return rows;
}

/** Stores the parts of a refund as pending. Their results are written with the refunds of each payment. */
async function storeParts(tx: Transaction, parts: readonly Part[]): Promise<void> {
  for (const { paymentId, refund } of parts)
    await tx.query(
      `insert into private.refund (id, payment_id, amount_cents, status, ours) values ($1, $2::uuid, $3::int, 'pending', false)`,
      [refund.id, paymentId, refund.amountCents],
    );
}

/**
 * Divides an amount in proportion to what is left of each payment. The parts add up to the amount, and none exceeds what is left of its
 * payment. If the amount exceeds the total, the remainder is added to the first part.
 */
export function divideCents(cents: number, remaining: readonly number[]): readonly number[] {
  const total = remaining.reduce((sum, amount) => sum + amount, 0);
  const parts = remaining.map((amount) => (total === 0 ? 0 : Math.min(amount, Math.floor((cents * amount) / total))));
  let rest = cents - parts.reduce((sum, part) => sum + part, 0);
  return parts
    .map((part, index) => {
      const more = Math.min(rest, (remaining[index] ?? 0) - part);
      rest -= more;
      return part + more;
    })
    .map((part, index) => (index === 0 ? part + rest : part));
}
