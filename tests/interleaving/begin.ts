import { weeklyDates } from '#rules/finding/series.ts';
import { studioDate } from '#rules/studio-time.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import type { Change } from './interrupted.ts';
import { EVENING, hours, type Subject, type World } from './world.ts';

/** An operation that waits for locks or providers, from the state in which it begins. */
export type Operation = {
  readonly name: string;
  /** Whether it takes hours that the booking does not have. */
  readonly takesHours: boolean;
  /** Whether jobs do it: no other job runs meanwhile. */
  readonly byJobs?: true;
  /** The refusal with which it ends, when nothing changes; without it, it succeeds. */
  readonly refusal?: string;
  begin(world: World): Promise<Begun>;
};
type Begun = {
  readonly subject: Subject;
  run(): Promise<unknown>;
  /** What only this operation can be interrupted by. */
  readonly more?: Readonly<Record<string, Change>>;
};

export const context = (world: World) => world.system.booking;

/** A hold with an open payment session. */
export async function held(world: World, start = EVENING): Promise<Subject> {
  const { id, person, session } = await world.held(hours(start));
  return { id, person, session, target: null };
}
/** The first booking of an order of three weeks with an open payment session. */
export async function heldOrder(world: World): Promise<Subject> {
  const series = weeklyDates(studioDate(new Date(EVENING)), 3);
  const { id, person, session } = await world.held({ ...hours(EVENING), series });
  return { id, person, session, target: null, ofOrder: true };
}
/** The same, paid for. */
export async function paidOrder(world: World): Promise<Subject> {
  const subject = await heldOrder(world);
  world.system.provider.move(subject.session, 'pay');
  await settlePayment(context(world), subject.session);
  return subject;
}
/** A booking that is paid for. */
export async function paid(world: World, start = EVENING): Promise<Subject> {
  const subject = await held(world, start);
  world.system.provider.move(subject.session, 'pay');
  await settlePayment(context(world), subject.session);
  return subject;
}
export const staffCancellation = (world: World, { id }: Subject) => ({
  bookingId: id,
  refund: 'full' as const,
  reason: 'Flood',
  actor: world.staff,
  money: 'held' as const,
});
