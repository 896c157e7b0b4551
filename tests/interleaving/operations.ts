import { keepDisputed } from '#server/operations/access/code-hold.ts';
import { cancelBooking, cancelSeries } from '#server/operations/bookings/cancel.ts';
import { cancelForStaff, cancelSeriesForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { releaseHold, releaseOwnHold } from '#server/operations/bookings/release.ts';
import type { Database } from '#server/db/database.ts';
import { reviewId } from '#server/operations/identity/review.ts';
import { followMissingIds, keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { readBooking } from '#server/operations/core/booking-rows.ts';
import { payWithCard } from '#server/operations/payments/pay-with-card.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { markPaid } from '#server/operations/staff/mark-paid.ts';
import { undoForStaff } from '#server/operations/staff/undo.ts';
import { HOUR, MINUTE, STUDIO } from '#tests/operations/booking-system.ts';
import { context, held, heldOrder, linked, type Operation, paid, paidOrder, staffCancellation } from './begin.ts';
import { OF_CODES } from './code-operations.ts';
import { EVENING, hours, MONDAY, type Span, type Subject, type World } from './world.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** Twice the hours, at a higher price. */
const LONGER = hours(EVENING, 2);
const move = (world: World, { id, person }: Subject, to: Span, byCustomer: boolean, undoable = false) =>
  moveBooking(context(world), {
    bookingId: id,
    studioId: STUDIO,
    ...to,
    waive: false,
    undoable,
    money: 'held',
    ...(byCustomer ? { actor: person, customer: person } : { actor: world.staff }),
  });
/** Returns the payment session of the hold for the new hours. */
async function sessionOfMove({ db }: World, { id }: Subject): Promise<string> {
  const row = await db.queryRow<{ session: string }>(
    `select p.session_id as session from private.payment p join private.booking b on b.id = p.booking_id where b.moves_booking = $1::uuid`,
    [id],
  );
  return row?.session ?? '';
}
async function readHold(world: World, { id }: Subject) {
  const hold = await readBooking(world.db, id);
  if (hold === null) throw new Error('there is no hold');
  return hold;
}

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'a customer holds hours with a discount code',
    takesHours: true,
    async begin(world) {
      const before = await held(world, MONDAY);
      // Simulates a new customer.
      await world.db.query('delete from private.provider_customer where user_id = $1::uuid', [before.person]);
      const request = world.system.request(before.person, { ...hours(EVENING), couponCode: world.coupon });
      const subject = { ...before, target: hours(EVENING) };
      return { subject, run: () => holdBooking(context(world), request) };
    },
  },
  {
    name: 'a payment is settled',
    takesHours: false,
    async begin(world) {
      const subject = await held(world);
      world.system.provider.move(subject.session, 'pay');
      return { subject, run: () => settlePayment(context(world), subject.session) };
    },
  },
  {
    name: 'a hold is paid with a saved card',
    takesHours: false,
    async begin(world) {
      const subject = await held(world);
      world.system.provider.saveCard(subject.person, 'pm_1', 'pays');
      const hold = await readHold(world, subject);
      const run = () => payWithCard(context(world), hold, { card: 'pm_1', userId: subject.person }, 60_000);
      return { subject, run };
    },
  },
  {
    name: 'an expired hold is released',
    takesHours: false,
    async begin(world) {
      const subject = await held(world);
      world.system.state.now += 16 * MINUTE;
      return { subject, run: () => releaseHold(context(world), subject.id, 'hold_expired') };
    },
  },
  {
    name: 'an expired hold without a session is released',
    takesHours: false,
    async begin(world) {
      const { id, person } = await world.unanswered(false);
      world.system.state.now += 16 * MINUTE;
      const subject = { id, person, session: '', target: null };
      return { subject, run: () => releaseHold(context(world), id, 'hold_expired') };
    },
  },
  {
    name: 'a session is made for a hold whose first call was lost',
    takesHours: false,
    async begin(world) {
      const { id, person, request } = await world.unanswered(false);
      world.system.state.now += MINUTE;
      const subject = { id, person, session: '', target: null };
      return { subject, run: () => holdBooking(context(world), request) };
    },
  },
  {
    name: 'a refund at the provider is settled',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      world.system.provider.move(subject.session, 'refund part');
      return { subject, run: () => settlePayment(context(world), subject.session) };
    },
  },
  {
    name: 'a customer gives up a hold whose payment is being processed',
    takesHours: false,
    refusal: 'payment_processing',
    async begin(world) {
      const subject = await held(world);
      world.system.provider.move(subject.session, 'delay');
      await settlePayment(context(world), subject.session);
      return { subject, run: () => releaseOwnHold(context(world), subject.id, subject.person) };
    },
  },
  {
    name: 'a customer cancels',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      return { subject, run: () => cancelBooking(context(world), subject.id, subject.person) };
    },
  },
  {
    name: 'a customer cancels an order',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      return { subject, run: () => cancelSeries(context(world), subject.id, subject.person) };
    },
  },
  {
    name: 'staff cancel a booking',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      return { subject, run: () => cancelForStaff(context(world), staffCancellation(world, subject)) };
    },
  },
  {
    name: 'staff cancel an order',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      return { subject, run: () => cancelSeriesForStaff(context(world), staffCancellation(world, subject)) };
    },
  },
  {
    name: 'the payment of an order of three bookings is settled',
    takesHours: false,
    async begin(world) {
      const subject = await heldOrder(world);
      world.system.provider.move(subject.session, 'pay');
      return { subject, run: () => settlePayment(context(world), subject.session) };
    },
  },
  {
    name: 'a customer cancels an order of three bookings',
    takesHours: false,
    async begin(world) {
      const subject = await paidOrder(world);
      return { subject, run: () => cancelSeries(context(world), subject.id, subject.person) };
    },
  },
  {
    name: 'staff cancel an order of three bookings',
    takesHours: false,
    async begin(world) {
      const subject = await paidOrder(world);
      return { subject, run: () => cancelSeriesForStaff(context(world), staffCancellation(world, subject)) };
    },
  },
  {
    name: 'an expired hold of an order of three bookings is released',
    takesHours: false,
    async begin(world) {
      const subject = await heldOrder(world);
      world.system.state.now += 16 * MINUTE;
      return { subject, run: () => releaseHold(context(world), subject.id, 'hold_expired') };
    },
  },
  {
    name: 'staff cancel a hold',
    takesHours: false,
    async begin(world) {
      const subject = await held(world);
      world.system.provider.saveCard(subject.person, 'pm_1', 'pays');
      world.system.provider.saveCard(subject.person, 'pm_2', 'declined');
      const hold = await readHold(world, subject);
      const payWith = (db: Database, card: string) =>
        payWithCard({ ...context(world), db }, hold, { card, userId: subject.person }, 60_000);
      return {
        subject,
        run: () => cancelForStaff(context(world), staffCancellation(world, subject)),
        more: {
          'the customer pays with a saved card instead': (db) => payWith(db, 'pm_1'),
          'the customer tries a card that is declined, and goes back to the pay page': async (db) => {
            await payWith(db, 'pm_2');
            await holdBooking({ ...context(world), db }, world.system.request(subject.person, hours(EVENING)));
          },
        },
      };
    },
  },
  ...[false, true].map((ofOrder): Operation => ({
    name: `staff mark ${ofOrder ? 'a series' : 'a booking'} by a link as paid`,
    takesHours: false,
    async begin(world) {
      const subject = await linked(world, ofOrder);
      const request = { bookingId: subject.id, actor: world.staff, money: 'held' } as const;
      return {
        subject,
        run: () => markPaid(context(world), request),
        more: { 'the same call comes again': (db) => markPaid({ ...context(world), db }, request) },
      };
    },
  })),
  {
    name: 'staff refund a part, and the job returns it',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      const part = {
        bookingId: subject.id,
        cents: 1_000,
        reason: 'Sorry',
        requestId: null,
        actor: world.staff,
        money: 'held' as const,
      };
      const run = async () => {
        await refundForStaff(context(world), part);
        await world.system.jobs.drain();
      };
      return { subject, run };
    },
  },
  {
    name: 'the job finds that a part no longer fits, because everything was refunded at the provider',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      await refundForStaff(context(world), {
        bookingId: subject.id,
        cents: 1_000,
        reason: 'Sorry',
        requestId: null,
        actor: world.staff,
        money: 'held',
      });
      world.system.provider.move(subject.session, 'refund all');
      return { subject, run: () => world.system.jobs.drain() };
    },
  },
  {
    name: 'staff keep a disputed booking',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      world.system.provider.move(subject.session, 'dispute');
      await settlePayment(context(world), subject.session);
      const keep = (db: Database) =>
        keepDisputed({ ...context(world), db }, { bookingId: subject.id, reason: 'We called them' }, world.staff);
      return { subject, run: () => keep(world.db), more: { 'another one keeps it': keep } };
    },
  },
  {
    name: 'the job refunds a cancelled booking',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      await cancelBooking(context(world), subject.id, subject.person);
      return { subject, run: () => world.system.jobs.drain() };
    },
  },
  {
    name: 'the job refunds a cancelled booking, and the bank takes its time',
    takesHours: false,
    byJobs: true,
    async begin(world) {
      const subject = await paid(world);
      await cancelBooking(context(world), subject.id, subject.person);
      world.system.provider.refundsBegin = 'pending';
      await world.system.jobs.drain();
      world.system.state.now += 2 * HOUR;
      return { subject, run: () => world.system.jobs.drain() };
    },
  },
  {
    name: 'staff move a booking to cheaper hours',
    takesHours: true,
    async begin(world) {
      const subject = { ...(await paid(world)), target: hours(MONDAY) };
      return { subject, run: () => move(world, subject, hours(MONDAY), false) };
    },
  },
  {
    name: 'a customer moves a booking to dearer hours',
    takesHours: true,
    async begin(world) {
      const subject = { ...(await paid(world)), target: hours(EVENING + HOUR) };
      return { subject, run: () => move(world, subject, LONGER, true) };
    },
  },
  {
    name: 'the payment of a move is settled',
    takesHours: false,
    async begin(world) {
      const booking = await paid(world);
      await move(world, booking, LONGER, true);
      const session = await sessionOfMove(world, booking);
      world.system.provider.move(session, 'pay');
      return { subject: booking, run: () => settlePayment(context(world), session) };
    },
  },
  {
    name: 'staff undo a cancellation',
    takesHours: true,
    async begin(world) {
      const subject = { ...(await paid(world)), target: hours(EVENING) };
      const { undo } = await cancelForStaff(context(world), { ...staffCancellation(world, subject), undoable: true });
      const run = () => undoForStaff(context(world), { undoId: undo?.id ?? '', actor: world.staff });
      return { subject, run };
    },
  },
  {
    name: 'staff undo a move',
    takesHours: true,
    async begin(world) {
      const subject = { ...(await paid(world)), target: hours(EVENING) };
      const { undo } = await move(world, subject, hours(MONDAY), false, true);
      const run = () => undoForStaff(context(world), { undoId: undo?.id ?? '', actor: world.staff });
      return { subject, run };
    },
  },
  {
    name: 'the task cancels a booking whose customer has lost the ID check',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      await world.db.query(`update public.profiles set full_name = 'Kim Other' where user_id = $1::uuid`, [
        subject.person,
      ]);
      world.system.state.now = EVENING - 110 * MINUTE;
      await followMissingIds(context(world), () => false);
      world.system.state.now = EVENING - 60 * MINUTE;
      const kept = { bookingId: subject.id, reason: 'I know the customer' };
      return {
        subject,
        run: () => followMissingIds(context(world), () => false),
        more: { 'staff keep it': (db) => keepWithoutId({ db, clock: world.system.clock }, kept, world.staff) },
      };
    },
  },
  {
    name: 'staff decide about an ID',
    takesHours: false,
    async begin(world) {
      const subject = await paid(world);
      const { clock } = world.system;
      const waiting = await world.db.queryRow<{ id: string }>(
        `insert into public.id_verifications (user_id, source, verification_status, extracted_first_name, extracted_last_name, extracted_dob, extracted_expiry_date)
         values ($1::uuid, 'photo', 'review', 'Alex', 'Citizen', '1998-04-03', '2040-01-01') returning id`,
        [subject.person],
      );
      const decide = (db: Database, decision: 'approve' | 'refuse') =>
        reviewId(
          servicesWith({ db, clock }),
          { verificationId: waiting?.id ?? '', decision, reason: null, fields: {} },
          world.staff,
        );
      return {
        subject,
        run: () => decide(world.db, 'refuse'),
        more: {
          'another one approves it': (db) => decide(db, 'approve'),
          'another one refuses it too': (db) => decide(db, 'refuse'),
        },
      };
    },
  },
  ...OF_CODES,
];
