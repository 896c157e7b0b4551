import { type Concession, needsMoneyPermission } from '#rules/business/concessions.ts';
import { sameSlot, slotsOfSpan } from '#rules/slots.ts';
import { DatabaseError, type Transaction } from '#server/db/database.ts';
import { readContact } from '../core/booking-contact.ts';
import { type BookingFacts, lockBooking, readBooking } from '../core/booking-rows.ts';
import { failpoint } from '../core/failpoint.ts';
import { Refusal } from '../core/refusal.ts';
import { startDeadline } from '../core/timeout.ts';
import { type CardOutcome, payWithCard } from '../payments/pay-with-card.ts';
import { applyMove, type NewHours } from '../moves/apply-move.ts';
import { moveProblem, type Place, termsStartAfter } from '../moves/movable.ts';
import { addSplitRefund } from '../payments/partial-refunds.ts';
import { paidPayments, splitRefund, isByHand } from '../payments/payment-rows.ts';
import { readTerms } from './cancel.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import { readExtension, requireOwnMove } from './own-move.ts';
import { holdMove, moveLinkEnd, readMoveHold } from './hold-move.ts';
import { openLink } from '../payments/open-link.ts';
import { type MovedPrice, priceMove } from './price-move.ts';
import { readSpan, requireOpen } from './price.ts';
import { type MoneyRight, requireConcession } from '../core/concessions.ts';
import { isMoveUndoable, jobsDue, storeUndo, type Undo } from '../staff/undo-rows.ts';
import { hoursTaken, readTaken } from '../core/taken-hours.ts';
import { releaseInTheWay } from './release-expired.ts';
import type { Services } from '../core/services.ts';

export type Move = Place & {
  readonly bookingId: string;
  /** Whether a higher price is waived. Otherwise the new hours are held until the difference is paid. */
  readonly waive: boolean;
  /** Whether staff can undo the move for a few seconds. Mail and refund are delayed until then. */
  readonly undoable?: boolean;
  readonly actor: string;
  /** Whether staff may waive the difference, or refund one that the terms do not give. Undefined counts as `missing`. */
  readonly money?: MoneyRight;
  /** The account that moves its own booking within the terms. Undefined if staff move it. */
  readonly customer?: string;
  /** Whether the move may only make the booking end later, even if the booking has changed in the meantime. */
  readonly onlyLater?: boolean;
  /** The customer's saved card to charge for a difference; null for the pay page. */
  readonly card?: string | null;
  /** The difference on the customer's screen, in cents; null if it showed none. */
  readonly shownCents?: number | null;
};

/**
 * `differenceCents`: the new price minus the old one; negative if the new hours cost less. `refundCents`: the amount refunded; `byHand` if
 * staff refund some of it themselves. `waiting`: the booking moves when the difference is paid; its `url` is null while the provider has
 * not answered, and the mail has the link. `cardProblem`: why the saved card was not charged.
 */
export type Moved = {
  readonly differenceCents: number;
  readonly refundCents: number;
  readonly byHand: boolean;
  readonly waiting: {
    readonly url: string | null;
    readonly until: Date;
    readonly cardProblem?: Exclude<CardOutcome, 'paid' | 'unknown'>;
  } | null;
  /** Null if the move cannot be undone. */
  readonly undo: Undo | null;
};

/**
 * `linkUntil`: until when more expensive hours would be held for a link; null if nothing has to be paid or it is too late for a link.
 * `owedCents`: the amount still owed after the move. `needsMoney`: the refund requires the permission `money`, which the caller lacks.
 */
export type MoveQuote = Omit<Moved, 'waiting' | 'undo'> & {
  readonly linkUntil: Date | null;
  readonly owedCents: number;
  readonly needsMoney: boolean;
};

type Outcome = { readonly moved: Moved } | { readonly hold: BookingFacts; readonly email: string };

/** Number of attempts at a move. Expired holds that block it are released between attempts. */
const ROUNDS = 3;

/**
 * Moves a confirmed booking to other hours or another studio, in one transaction, so that the old hours stay booked until the new ones are
 * certain. If the new hours cost less, the difference is refunded. If they cost more, they are held until the difference is paid, for staff
 * by a mailed link; the payment then moves the booking. The access code and the mails follow the move. A session that has begun can only
 * end later. Idempotent. Throws `Refusal`: `slot_taken` with the bookings that have the hours, `too_late` with `differenceCents` if a link
 * could not be paid in time.
 */
export async function moveBooking(services: Services, move: Move): Promise<Moved> {
  const timeLeft = startDeadline(services.config.answerWithinMs);
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcome = await tryMove(services, move);
    failpoint('move.after.commit');
    if (outcome !== null && 'moved' in outcome) return outcome.moved;
    if (outcome !== null) {
      const moved = await payDifference(services, move, outcome, timeLeft);
      if (moved !== null) return moved;
      continue;
    }
    const now = services.clock().getTime();
    const { bookingId } = move;
    const taken = (await readTaken(services.db, move)).filter(
      (booking) => booking.id !== bookingId && booking.movesBooking !== bookingId,
    );
    const expired = taken.filter(
      (other) => other.status === 'pending' && other.holdExpiresAt !== null && other.holdExpiresAt.getTime() <= now,
    );
    const released = await releaseInTheWay(
      services,
      expired.map(({ id }) => id),
      timeLeft,
    );
    if (taken.length > 0 && !released) throw takenFor(move, taken);
  }
  throw takenFor(move, []);
}

/** Charges the difference to a saved card, or opens the pay page. Returns null if the hold was paid for or released in the meantime. */
async function payDifference(
  services: Services,
  { card = null, customer }: Move,
  { hold, email }: { readonly hold: BookingFacts; readonly email: string },
  timeLeft: () => number,
): Promise<Moved | null> {
  const moved = { differenceCents: hold.finalCostCents, refundCents: 0, byHand: false, undo: null };
  const until = hold.holdExpiresAt ?? new Date(0);
  const outcome =
    card === null || customer === undefined
      ? null
      : await payWithCard(services, hold, { card, userId: customer }, timeLeft());
  if (outcome === 'paid') return { ...moved, waiting: null };
  if (outcome === 'unknown') return { ...moved, waiting: { url: null, until } };
  const { url, pending } = await openLink(services, hold, email, timeLeft());
  if (url === null && !pending && (await readBooking(services.db, hold.id))?.status !== 'pending') return null;
  return { ...moved, waiting: { url, until, ...(outcome !== null && { cardProblem: outcome }) } };
}

/** Builds the refusal of taken hours. It does not reveal the other bookings to a customer. */
const takenFor = ({ customer }: Move, taken: readonly BookingFacts[]): Refusal =>
  hoursTaken(customer === undefined ? taken : []);

/**
 * Returns what a move would cost or refund, without changing anything. Throws `Refusal` as `moveBooking` does, except that staff are not
 * refused hours that others have, because their form already shows those. A customer is refused, because the price appears on a button that
 * charges immediately.
 */
export async function quoteMove(services: Services, move: Move): Promise<MoveQuote> {
  const now = services.clock();
  return services.db.transaction(async (tx) => {
    const booking = await lockMoving(tx, move);
    if (isThere(booking, move)) return { ...NOTHING, linkUntil: null, owedCents: booking.owedCents, needsMoney: false };
    const price = await readPrice(tx, booking, move, now);
    if (move.customer !== undefined && (await othersHave(tx, move, now))) throw takenFor(move, []);
    const parts = splitRefund(await paidPayments(tx, booking.id), -price.differenceCents);
    const refundCents = parts.reduce((sum, { cents }) => sum + cents, 0);
    return {
      differenceCents: price.differenceCents,
      refundCents,
      byHand: parts.some(({ payment }) => isByHand(payment)),
      linkUntil: mustPay(price, move) ? await moveLinkEnd(services, tx, booking, { to: move, now }) : null,
      owedCents: price.owedCents,
      needsMoney:
        move.customer === undefined &&
        move.money !== 'held' &&
        needsMoneyPermission(await readConcession(tx, booking, refundCents, now)),
    };
  });
}

/** Returns whether another booking has some of the hours. Expired holds do not count because the move releases them. */
async function othersHave(tx: Transaction, move: Move, now: Date): Promise<boolean> {
  const { bookingId } = move;
  const others = (await readTaken(tx, move)).filter(
    (booking) => booking.id !== bookingId && booking.movesBooking !== bookingId,
  );
  return others.some((other) => other.status === 'confirmed' || isHeld(other, now));
}

/** Hours that a customer adds to the end of their own booking. */
export type Extension = Pick<Move, 'bookingId' | 'card' | 'shownCents'> & {
  readonly customer: string;
  readonly hours: number;
  /** The end that the customer saw; null for the current one. */
  readonly from: Date | null;
};

/** Returns the move that makes the customer's own booking end later. Throws `Refusal`: `not_found`, `invalid_request`. */
export async function readExtendingMove(services: Services, { hours, from, ...request }: Extension): Promise<Move> {
  const place = await readExtension(services, {
    bookingId: request.bookingId,
    customer: request.customer,
    hours,
    from,
  });
  return { ...request, ...place, waive: false, actor: request.customer, onlyLater: true };
}

const NOTHING = { differenceCents: 0, refundCents: 0, byHand: false };

/** Returns null if the hours are taken. */
async function tryMove(services: Services, move: Move): Promise<Outcome | null> {
  try {
    return await services.db.transaction((tx) => moveOnce(services, tx, move));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.constraint === 'booking_not_closed')
      throw new Refusal('slot_closed', 'The studio is closed at this time.');
    if (error.constraint === 'booking_one_per_slot') return null;
    throw error;
  }
}

async function moveOnce(services: Services, tx: Transaction, move: Move): Promise<Outcome | null> {
  const now = services.clock();
  // Two moves into each other's hours would deadlock.
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('booking-move', 0))`);
  // hold_booking takes the same lock, so that a concurrent hold and move of an account count each other's unpaid hours.
  if (move.customer !== undefined)
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('hold:' || $1, 0))`, [move.customer]);
  const booking = await lockMoving(tx, move);
  if (isThere(booking, move)) return { moved: await lastMove(tx, booking) };
  const price = await readPrice(tx, booking, move, now);
  requireShown(move, price);
  const { actor, customer } = move;
  const to = { ...(await newHours(tx, booking, move, price)), actor, ...(customer && { customer }), now };
  if (mustPay(price, move)) {
    const email = (await readContact(tx, booking))?.email;
    if (email === undefined)
      throw new Refusal('invalid_request', 'This booking has no email address for a payment link.', { field: 'waive' });
    const waiting = await readMoveHold(tx, booking.id);
    if (waiting !== null && isSame(waiting, booking, to)) return { hold: waiting, email };
    const { differenceCents } = price;
    const hold = await holdMove(services, tx, booking, { ...to, differenceCents, card: move.card ?? null });
    failpoint('move.hold.before.commit');
    return hold === null ? null : { hold, email };
  }
  if (move.waive) requireConcession(move.money, { kind: 'waiver', cents: price.differenceCents });
  const undoable = move.undoable === true && (await isMoveUndoable(tx, booking, move.startTime, now));
  const dueAt = jobsDue(now, undoable);
  const refund = await refundDifference(tx, booking, {
    cents: -price.differenceCents,
    actor: move.actor,
    dueAt,
  });
  if (customer === undefined) requireConcession(move.money, await readConcession(tx, booking, refund.cents, now));
  const money = {
    differenceCents: price.differenceCents,
    refundCents: refund.cents,
    byHandCents: refund.byHandCents,
    paidCents: 0,
  };
  await applyMove(tx, booking, to, { money, actor: move.actor, now, mailAt: dueAt });
  const undo = undoable ? await storeUndo(tx, { kind: 'move', before: booking, actor: move.actor, now }) : null;
  failpoint('move.before.commit');
  return {
    moved: {
      differenceCents: price.differenceCents,
      refundCents: refund.cents,
      byHand: refund.byHandCents > 0,
      waiting: null,
      undo,
    },
  };
}

/** Locks the booking of a move. Throws `Refusal` if it does not exist or is not the customer's. */
async function lockMoving(tx: Transaction, { bookingId, customer }: Move): Promise<BookingFacts> {
  const booking = await lockBooking(tx, bookingId);
  if (!booking || (customer !== undefined && booking.userId !== customer))
    throw new Refusal('not_found', 'Booking not found');
  return booking;
}

function requireShown({ shownCents }: Move, { differenceCents }: MovedPrice): void {
  if (shownCents === undefined || shownCents === null || shownCents === differenceCents) return;
  throw new Refusal('price_changed', 'The price of this change is different now. Please check it.', {
    differenceCents,
  });
}

/** Returns whether the difference has to be paid before the booking moves. */
const mustPay = ({ differenceCents }: MovedPrice, { waive }: Move): boolean => !waive && differenceCents > 0;

const samePlace = (booking: BookingFacts, { studioId, startTime, endTime }: Place): boolean =>
  booking.studioId === studioId &&
  booking.startTime.getTime() === startTime.getTime() &&
  booking.endTime.getTime() === endTime.getTime();

const isThere = (booking: BookingFacts, place: Place): boolean =>
  booking.status === 'confirmed' && samePlace(booking, place);

/** Returns whether an unpaid hold has not expired. */
const isHeld = ({ holdExpiresAt }: BookingFacts, now: Date): boolean => holdExpiresAt !== null && holdExpiresAt > now;

/** Returns whether a hold waits for the same move. Such a hold keeps the price that the customer was shown. */
const isSame = (hold: BookingFacts, booking: BookingFacts, to: Place & { readonly now: Date }): boolean =>
  samePlace(hold, to) && hold.moveNumber === booking.moves + 1 && isHeld(hold, to.now);

async function lastMove(tx: Transaction, { id, moves }: BookingFacts): Promise<Moved> {
  const last = await tx.queryRow<{ differenceCents: number; refundCents: number; byHand: boolean }>(
    `select m.difference_cents as "differenceCents", m.refund_cents as "refundCents",
       exists (select from private.partial_refund r join private.payment p on p.id = r.payment_id
         where p.booking_id = m.booking_id and p.kind = 'elsewhere' and r.request_key = 'move:' || m.number) as "byHand"
     from private.booking_move m where m.booking_id = $1::uuid and m.number = $2::int`,
    [id, moves],
  );
  return { ...(last ?? NOTHING), waiting: null, undo: null };
}

/** Prices all new hours. Checks those that the booking does not have yet by the same rules as a customer's booking. */
async function readPrice(tx: Transaction, booking: BookingFacts, move: Move, now: Date): Promise<MovedPrice> {
  const problem = moveProblem(booking, move, now);
  if (problem !== null) throw problem;
  const { customer } = move;
  if (customer !== undefined) await requireOwnMove(tx, booking, { ...move, customer }, now);
  const slots = readSpan(move);
  const own = slotsOfSpan(booking.startTime, booking.endTime) ?? [];
  requireOpen(
    slots.filter((slot) => !own.some((ownSlot) => sameSlot(ownSlot, slot))),
    now,
    await readBookingRules(tx),
  );
  // Staff without the permission to give money away move a booking at the price that its customer would pay.
  const asCustomer = customer !== undefined || move.money !== 'held';
  return priceMove(tx, booking, { studioId: move.studioId, slots, asCustomer, waive: move.waive });
}

/**
 * Builds the new hours of a booking. Throws `Refusal` if the studio does not exist or takes no bookings. A booking may stay in its own
 * studio even if that has been retired.
 */
async function newHours(
  tx: Transaction,
  booking: BookingFacts,
  move: Move,
  { quote, waivedCents, finalCents, owedCents }: MovedPrice,
): Promise<NewHours> {
  const { studioId, startTime, endTime, customer } = move;
  const place = await tx.queryRow<{ name: string }>(
    `select s.name from public.studios s where s.id = $1::uuid and (s.active or s.id = $2::uuid)`,
    [studioId, booking.studioId],
  );
  if (!place) throw new Refusal('not_found', 'Studio not found');
  const { hours, slots, baseCents, discountCents, couponDiscountCents } = quote;
  const price = { hours, slots, baseCents, discountCents, couponDiscountCents, waivedCents, finalCents, owedCents };
  const termsStart = termsStartAfter(booking, move, customer !== undefined);
  return { studioId, startTime, endTime, studioName: place.name, termsStart, ...price };
}

/** Describes the refund of a move and how much of it the terms give. */
async function readConcession(tx: Transaction, booking: BookingFacts, cents: number, now: Date): Promise<Concession> {
  const { allowed } = await readTerms(tx, booking, now);
  return { kind: 'refund', cents, termsCents: allowed ? cents : 0 };
}

/** Refunds what the new hours cost less, up to what is left of the payments. */
async function refundDifference(
  tx: Transaction,
  booking: BookingFacts,
  { cents, actor, dueAt }: { cents: number; actor: string; dueAt: Date },
): Promise<{ readonly cents: number; readonly byHandCents: number }> {
  if (cents <= 0) return { cents: 0, byHandCents: 0 };
  const paid = await paidPayments(tx, booking.id);
  const requestKey = `move:${booking.moves + 1}`;
  return addSplitRefund(tx, paid, { cents, requestKey, reason: 'moved to hours that cost less', actor }, dueAt);
}
