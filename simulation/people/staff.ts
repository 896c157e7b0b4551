import type { World } from '../world/world.ts';
import { type Answer, type Browser, openBrowser } from './client.ts';
import { HOUR, pickSpan } from './booking.ts';
import type { Person } from './person.ts';

/** A member of staff with all permissions. */
export type Staff = { browser: Browser | null; userId: string; readonly deeds: Deed[]; isSignedIn: boolean };

/** Something that staff have done: the audit log must know about it. */
type Deed = { readonly call: string; readonly subject: string | null; readonly from: number; readonly to: number };

/** The demo account of `npm start`. */
const OWNER = { email: 'admin@example.com', password: 'demo-admin-1' };

export const createStaff = (): Staff => ({
  browser: null,
  userId: '',
  deeds: [],
  isSignedIn: false,
});

async function signInAsStaff(world: World, staff: Staff): Promise<void> {
  const browser = openBrowser(world);
  staff.browser = browser;
  const { data, error } = await browser.client.auth.signInWithPassword(OWNER);
  staff.isSignedIn = error === null;
  staff.userId = data.user?.id ?? staff.userId;
  world.counters.count(error ? `staff sign-in refused ${error.code ?? 'without answer'}` : 'staff sign-in');
}

function getBrowser({ browser }: Staff): Browser {
  if (browser === null) throw new Error('staff act only after they have signed in');
  return browser;
}

/** Does one thing that staff do. */
export async function workAsStaff(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  if (!staff.isSignedIn) await signInAsStaff(world, staff);
  if (!staff.isSignedIn) return;
  const tasks = [refund, cancelForCustomer, createBooking, close, block, reviewId, moveForCustomer] as const;
  await world.random.pick(tasks)(world, staff, people);
}

async function perform(world: World, staff: Staff, call: string, body: Record<string, unknown>): Promise<Answer> {
  const from = world.time.now();
  const answer = await getBrowser(staff).call(call, body);
  const subject =
    [body['bookingId'], body['userId'], body['verificationId']].find((id) => typeof id === 'string') ?? null;
  if (answer.status === 200) staff.deeds.push({ call, subject, from, to: world.time.now() });
  if (answer.status === 401) staff.isSignedIn = false;
  return answer;
}

function pickBooking({ random, time }: World, people: readonly Person[]) {
  return random.pickFrom(people.flatMap(({ bookings }) => bookings).filter(({ end }) => end > time.now() - 72 * HOUR));
}

async function refund(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  const booking = pickBooking(world, people);
  if (!booking) return;
  const requestId = `refund-${world.random.bits()}`;
  const body = {
    bookingId: booking.id,
    cents: 500 * (1 + world.random.below(12)),
    reason: 'The mixer was broken',
    requestId,
  };
  const answer = await perform(world, staff, 'staff-refund', body);
  // Without an answer, staff press again: the same request makes no second refund.
  if (answer.status === 0) await perform(world, staff, 'staff-refund', body);
}

async function cancelForCustomer(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  const booking = pickBooking(world, people);
  if (!booking) return;
  const { random } = world;
  const refund = random.pick(['full', 'none', 'terms'] as const);
  const undoable = random.chance(0.5);
  const answer = await perform(world, staff, 'staff-cancel-booking', {
    bookingId: booking.id,
    refund,
    reason: 'They called',
    undoable,
  });
  const { undo } = answer.body as { undo?: { id: string } };
  if (undo && random.chance(0.4)) await perform(world, staff, 'staff-undo', { id: undo.id });
}

async function createBooking(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  const { random } = world;
  const person = random.pickFrom(people.filter(({ isDeleted }) => !isDeleted));
  const isGuest = random.chance(0.5) || !person;
  const body = {
    ...pickSpan(world, 3),
    customerEmail: isGuest ? `guest-${random.below(40)}@example.com` : person.email,
    customerName: 'Gale Guest',
    payment: random.pick(['link', 'free', 'elsewhere'] as const),
    requestId: `create-${random.bits()}`,
  };
  const answer = await perform(world, staff, 'staff-create-booking', body);
  const session = /\/c\/pay\/(\w+)/.exec(String(answer.body['url']))?.[1];
  if (session !== undefined && random.chance(0.6)) await world.control(`/payments/${session}`, { outcome: 'paid' });
}

async function close(world: World, staff: Staff): Promise<void> {
  const answer = await perform(world, staff, 'staff-close', { ...pickSpan(world, 24), reason: 'New cables' });
  const { closureId } = answer.body;
  if (answer.status === 200 && world.random.chance(0.5)) await perform(world, staff, 'staff-reopen', { closureId });
}

async function block(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  const { random } = world;
  const person = random.pickFrom(people.filter(({ isDeleted }) => !isDeleted));
  if (!person) return;
  const bookings = random.pick(['later', 'keep', 'terms', 'refund'] as const);
  await perform(world, staff, 'staff-block-customer', {
    userId: person.userId,
    reason: `Damaged the mixer ${random.bits()}`,
    bookings,
  });
  if (random.chance(0.8)) await perform(world, staff, 'staff-unblock-customer', { userId: person.userId });
}

async function moveForCustomer(world: World, staff: Staff, people: readonly Person[]): Promise<void> {
  const booking = pickBooking(world, people);
  if (!booking) return;
  const waive = world.random.chance(0.5);
  await perform(world, staff, 'staff-move-booking', { bookingId: booking.id, ...pickSpan(world, 4), waive });
}

async function reviewId(world: World, staff: Staff): Promise<void> {
  const { data } = await getBrowser(staff)
    .client.from('id_verifications')
    .select('id')
    .eq('verification_status', 'review')
    .limit(1);
  const [waiting] = data ?? [];
  if (!waiting) return;
  const decision = world.random.pick(['approve', 'refuse', 'retake'] as const);
  await perform(world, staff, 'staff-review-id', { verificationId: waiting.id, decision, reason: 'As seen' });
}
