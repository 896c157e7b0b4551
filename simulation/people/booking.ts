import type { World } from '../world/world.ts';
import { type Answer, getCode } from './client.ts';
import type { OwnBooking, Person } from './person.ts';
import { wait } from './wait.ts';

export const HOUR = 3_600_000;
const STUDIOS = ['5a000000-0000-4000-8000-00000000000a', '5a000000-0000-4000-8000-00000000000b'] as const;
/** How far ahead people book, in hours. Few rooms and few days make them collide. */
const AHEAD_HOURS = 9 * 24;

export type Span = { readonly studioId: string; readonly startTime: string; readonly endTime: string };

const toSpan = (studioId: string, start: number, hours: number): Span => ({
  studioId,
  startTime: new Date(start).toISOString(),
  endTime: new Date(start + hours * HOUR).toISOString(),
});

/** Picks hours from the next one on. Evenings are liked more, so people meet there. */
export function pickSpan({ random, time }: World, leastAhead = 1): Span {
  const first = Math.floor(time.now() / HOUR) + leastAhead;
  const day = random.below(AHEAD_HOURS / 24);
  const hour = random.chance(0.5) ? random.below(24) : 7 + random.below(5);
  const start = (first + day * 24 + hour) * HOUR;
  return toSpan(random.pick(STUDIOS), start, 1 + random.below(4));
}

const readSession = (url: unknown): string | null => /\/c\/pay\/(\w+)/.exec(String(url))?.[1] ?? null;

/** Books hours: chooses, presses the button once or twice, and pays or does not. */
export async function book(world: World, person: Person): Promise<void> {
  await bookSpan(world, person, pickSpan(world), null);
}

/** Books the same hours on several weeks as one series. */
export async function bookSeries(world: World, person: Person): Promise<void> {
  const span = pickSpan(world, 24);
  const quote = await person.browser.call('quote-series', { ...span, weeks: 2 + world.random.below(3) });
  const dates = quote.body['dates'];
  if (quote.status !== 200 || !Array.isArray(dates)) return;
  const free = dates.filter(({ problem }: { problem: string | null }) => problem === null);
  if (free.length < 2) return;
  await bookSpan(world, person, span, { dates: free.map(({ date }: { date: string }) => date) });
}

async function bookSpan(world: World, person: Person, span: Span, series: object | null): Promise<void> {
  const { random, counters } = world;
  const couponCode = random.chance(0.2) ? random.pick(['TENOFF', 'FIVER', 'ALLFREE', 'NOCODE']) : null;
  const body = { metadata: { ...span, couponCode, termsAccepted: true, ...(series === null ? {} : { series }) } };
  const press = (): Promise<Answer> => person.browser.call('create-payment', body);
  const answers = random.chance(0.15) ? await Promise.all([press(), press()]) : [await press()];
  // No answer: people press again after a while, or give up.
  if (answers.every(({ status }) => status === 0 || status >= 500) && random.chance(0.7)) {
    await wait(5 + random.below(20));
    answers.push(await press());
  }
  const answer = answers.findLast(({ status }) => status === 200);
  if (!answer) return;
  const ids = new Set(answers.flatMap(({ status, body: sent }) => (status === 200 ? [String(sent['bookingId'])] : [])));
  if (ids.size > 1) world.report('G5', `two presses made the bookings ${[...ids].join(' and ')}`);
  const session = readSession(answer.body['url']);
  const booking: OwnBooking = {
    id: String(answer.body['bookingId']),
    studioId: span.studioId,
    start: Date.parse(span.startTime),
    end: Date.parse(span.endTime),
    session,
  };
  person.bookings.push(booking);
  counters.count(session === null ? 'held without pay page' : 'held');
  if (session !== null) await atPayPage(world, person, session);
}

type Outcome = 'paid' | 'declined' | 'cancelled' | 'delayed_paid' | 'delayed_failed' | 'leaves';

/** Does something on the pay page, and perhaps comes back to the site. */
async function atPayPage(world: World, person: Person, session: string): Promise<void> {
  const { random, counters } = world;
  await wait(3 + random.below(20));
  const draw = random.next();
  const outcome: Outcome =
    draw < 0.66
      ? 'paid'
      : draw < 0.72
        ? 'declined'
        : draw < 0.75
          ? 'cancelled'
          : draw < 0.78
            ? 'delayed_paid'
            : draw < 0.8
              ? 'delayed_failed'
              : 'leaves';
  counters.count(`pay page ${outcome}`);
  if (outcome === 'leaves') {
    if (random.chance(0.6)) comeBackLater(world, person, session);
    return;
  }
  await world.control(`/payments/${session}`, {
    outcome,
    ...(outcome.startsWith('delayed') ? { seconds: 3_600 * (1 + random.below(60)) } : {}),
  });
  // The tab may be closed before the browser has come back.
  if (random.chance(0.2)) return;
  if (random.chance(0.5)) await wait(random.below(4));
  await person.browser.call('verify-payment', { sessionId: session });
}

/** Some leave the pay page open and pay much later, when their hours may be gone. */
function comeBackLater(world: World, person: Person, session: string): void {
  const minutes = 10 + world.random.below(20);
  world.plans.push({ at: world.time.now() + minutes * 60_000, deed: () => atPayPage(world, person, session) });
}

/** Returns to a booking that was left unpaid, and pays or releases it. */
export async function returnToHold(world: World, person: Person): Promise<void> {
  const { random } = world;
  // In seven of ten cases the newest, which may still be held.
  const booking = random.chance(0.7) ? person.bookings.at(-1) : random.pickFrom(person.bookings);
  if (!booking) return;
  if (random.chance(0.3)) await person.browser.call('release-hold', { bookingId: booking.id });
  else if (booking.session !== null) await atPayPage(world, person, booking.session);
}

export async function cancel(world: World, person: Person): Promise<void> {
  const { random, counters } = world;
  const booking = random.pickFrom(person.bookings.filter(({ end }) => end > world.time.now()));
  if (!booking) return;
  const series = random.chance(0.2);
  const press = (): Promise<Answer> => person.browser.call('cancel-booking', { bookingId: booking.id, series });
  const answers = random.chance(0.2) ? await Promise.all([press(), press()]) : [await press()];
  if (answers.filter(({ status }) => status === 200).length > 1)
    world.report('G5', `${booking.id} was cancelled twice`);
  for (const { status, body } of answers)
    if (status === 200) counters.count(`cancelled with refund ${String(body['refund'])}`);
}

/** Moves a booking to other hours, or lets it end later. Pays the difference if there is one. */
export async function change(world: World, person: Person): Promise<void> {
  const { random, time } = world;
  const booking = random.pickFrom(person.bookings.filter(({ end }) => end > time.now()));
  if (!booking) return;
  const isExtension = random.chance(0.4);
  const name = isExtension ? 'extend-booking' : 'reschedule-booking';
  const what = isExtension ? { hours: 1 + random.below(2) } : pickSpan(world, 25);
  const body = { bookingId: booking.id, ...what };
  const preview = await person.browser.call(name, { ...body, preview: true });
  if (preview.status !== 200) return;
  await wait(2 + random.below(10));
  const answer = await person.browser.call(name, { ...body, differenceCents: preview.body['differenceCents'] });
  if (answer.status !== 200) return;
  const session = readSession(answer.body['url']);
  if (session !== null) await atPayPage(world, person, session);
}

/** Joins the wait list for hours that another customer has. */
export async function joinWaitlist(world: World, person: Person, others: readonly Person[]): Promise<void> {
  const { random, time } = world;
  const taken = random.pickFrom(
    others.flatMap(({ bookings }) => bookings).filter(({ start }) => start > time.now() + HOUR),
  );
  if (!taken) return;
  const hours = Math.max(1, Math.round((taken.end - taken.start) / HOUR));
  await person.browser.call('join-waitlist', toSpan(taken.studioId, taken.start, hours));
}

/** Books the hours that another customer had or has. */
export async function bookSame(world: World, person: Person, others: readonly Person[]): Promise<void> {
  const { random, time } = world;
  const taken = random.pickFrom(
    others.flatMap(({ bookings }) => bookings).filter(({ start }) => start > time.now() + HOUR),
  );
  if (taken) await bookSpan(world, person, toSpan(taken.studioId, taken.start, 1 + random.below(3)), null);
}

/** Looks at the code of a booking, as at the door. */
export async function lookAtCode(world: World, person: Person): Promise<void> {
  const { time } = world;
  const booking = person.bookings.find(({ start, end }) => start - HOUR / 3 < time.now() && end > time.now());
  if (!booking) return;
  const answer = await person.browser.call('generate-access-code', { bookingId: booking.id });
  if (answer.status !== 200 || answer.body['pinCode'] === null) return;
  world.counters.count(getCode(answer) === '' ? 'code seen' : 'code refused');
}

/** Calls the bank about a payment. The bank decides some days later, or never. */
export async function dispute(world: World, person: Person): Promise<void> {
  const { random, counters } = world;
  const session = random.pickFrom(person.bookings)?.session ?? null;
  if (session === null) return;
  const { id } = await world.control<{ id?: string }>(`/payments/${session}/disputes`, { reason: 'fraudulent' });
  if (id === undefined) return;
  counters.count('dispute');
  if (random.chance(0.5)) await world.control(`/disputes/${id}`, { outcome: random.pick(['won', 'lost'] as const) });
}

/** Holds many hours and pays for none of them. */
export async function hoard(world: World, person: Person): Promise<void> {
  for (let held = 0; held < 4; held += 1) {
    const metadata = { ...pickSpan(world), couponCode: null, termsAccepted: true };
    await person.browser.call('create-payment', { metadata });
  }
}
