import { weeklyDates } from '#rules/finding/series.ts';
import { studioDate } from '#rules/studio-time.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { addPerson, STUDIO } from '#tests/operations/booking-system.ts';
import type { Change } from './interrupted.ts';
import { EVENING, hours, setCancelHours, type Subject, type World } from './world.ts';

/** An operation that waits for locks or providers, with the state in which it begins. */
export type Operation = {
  readonly name: string;
  /** Whether it takes hours that the booking does not have yet. */
  readonly takesHours: boolean;
  /** Whether jobs perform it. Then no other job runs in the meantime. */
  readonly byJobs?: true;
  /** The refusal with which it ends when nothing changes. Without a refusal it succeeds. */
  readonly refusal?: string;
  begin(world: World): Promise<Begun>;
};
type Begun = {
  readonly subject: Subject;
  run(): Promise<unknown>;
  /** Changes that can interrupt only this operation. */
  readonly more?: Readonly<Record<string, Change>>;
};

/** A cancellation limit in hours that is longer than the time until any booking here. */
const CANCEL_HOURS_LATER = 240;

export const context = (world: World) => world.system.services;

/** A hold with an open payment session. */
export async function held(world: World, start = EVENING): Promise<Subject> {
  const { id, person, session } = await world.held(hours(start));
  return { id, person, session, target: null };
}
/** A booking made by staff for an account, or the first of an order of three weeks, whose mailed link is open. */
export async function linked(world: World, ofOrder = false): Promise<Subject> {
  const person = await addPerson(world.db);
  const row = await world.db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [person]);
  const { bookingId } = await bookForStaff(context(world), {
    studioId: STUDIO,
    ...hours(EVENING),
    customerEmail: row?.email ?? '',
    customerName: '',
    payment: 'link',
    notes: null,
    requestId: null,
    actor: world.staff,
    series: ofOrder ? weeklyDates(studioDate(new Date(EVENING)), 3) : null,
  });
  const session = await world.system.readSessionId(bookingId);
  return { id: bookingId, person, session, target: null, ...(ofOrder ? { ofOrder } : {}) };
}
/** The first booking of an order of three weeks with an open payment session. */
export async function heldOrder(world: World): Promise<Subject> {
  const series = weeklyDates(studioDate(new Date(EVENING)), 3);
  const { id, person, session } = await world.held({ ...hours(EVENING), series });
  return { id, person, session, target: null, ofOrder: true };
}
/** The first booking of a paid order of three weeks. */
export const paidOrder = async (world: World): Promise<Subject> => payFor(world, await heldOrder(world));
/** A paid booking. */
export const paid = async (world: World, start = EVENING): Promise<Subject> => payFor(world, await held(world, start));

/** Pays for a hold. The cancellation terms change afterwards, but the terms agreed at the time of booking apply. */
async function payFor(world: World, subject: Subject): Promise<Subject> {
  world.system.provider.move(subject.session, 'pay');
  await settlePayment(context(world), subject.session);
  await setCancelHours(world.db, CANCEL_HOURS_LATER);
  return subject;
}
export const staffCancellation = (world: World, { id }: Subject) => ({
  bookingId: id,
  refund: 'full' as const,
  reason: 'Flood',
  actor: world.staff,
  money: 'held' as const,
});
