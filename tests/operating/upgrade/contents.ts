import sharp from 'sharp';
import { Secret, TOTP } from 'otpauth';
import type { Client, StateServer } from './state-server.ts';

/** The contents of a state, for the test that opens it. */
export type Facts = {
  /** The instant at which the state was completed: ten minutes before the booking `next`. */
  readonly madeAt: string;
  readonly bookings: Readonly<Record<(typeof BOOKINGS)[number], string>>;
  /** The code of the booking `next`. */
  readonly pin: string;
  /** Path of the photo of a report, in the private bucket `incidents`. */
  readonly reportPhoto: string;
  /** Path of the photo of a room, in the public bucket `rooms`. */
  readonly roomPhoto: string;
  /** The ID check that awaits a decision by staff, with its picture. */
  readonly verification: string;
  /** The secret of the owner's authenticator app, in base32. */
  readonly totpSecret: string;
};
/** Alex has all bookings except `held` and `moved`. `over` has a report, `paid` has a discount code, and `held` is not paid. */
const BOOKINGS = ['over', 'next', 'paid', 'cancelled', 'series', 'moved', 'held'] as const;

export type Person = { readonly email: string; readonly password: string };
export const OWNER: Person = { email: 'owner@example.org', password: 'warm-valve-amp-71' };
/** Staff with the permission `bookings` alone. */
export const COLLEAGUE: Person = { email: 'colleague@example.org', password: 'late-night-crate-55' };
export const ALEX: Person = { email: 'alex@example.org', password: 'blue-monday-83' };
export const KIM: Person = { email: 'kim@example.org', password: 'deep-cuts-only-19' };
/** Passphrase of the backup in a state. */
export const PASSPHRASE = 'a passphrase of several words';
const SAM: Person = { email: 'sam@example.org', password: 'sub-bass-heart-44' };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const studioId = (letter: 'a' | 'b' | 'c'): string => `5a000000-0000-4000-8000-00000000000${letter}`;

/** Fills a new database in the way that people do, and ends at the instant `present`. The server's clock begins a few days earlier. */
export async function fill(server: StateServer, present: Date): Promise<Facts> {
  const team = await addTeam(server);
  await signUp(server, ALEX, 'Alex');
  await signUp(server, KIM, 'Kim');
  await signUp(server, SAM, 'Sam');
  await verifyId(server, ALEX, 'Alex Jordan');
  await verifyId(server, KIM, 'Kim');
  const verification = await verifyId(server, SAM, 'Samuel');
  const room = await furnish(server);
  // The sandbox's payment provider always uses real time, so nothing is paid before `present`.
  const past = span(server, 2 * HOUR, 1);
  const over = await give(server, ALEX.email, past);
  await settleBefore(server, past);

  await server.moveTo(present);
  await server.settle();
  const reportPhoto = await reportProblem(server, over);
  const bookings = await addBookings(server);
  await addStaffWork(server, bookings.paid);

  const next = span(server, 2 * HOUR, 1, 'b');
  const code = { bookingId: await book(server, ALEX, next) };
  await settleBefore(server, next);
  const { pinCode } = await server.ask('/functions/v1/generate-access-code', {
    ...(await as(server, ALEX)),
    body: code,
  });
  const held = await hold(server, KIM, span(server, 9 * DAY, 1));
  await server.app.db.query(`select realtime.send('{"n": 1}', 'note', 'lobby', true)`);
  return {
    madeAt: server.now().toISOString(),
    bookings: { ...bookings, over, next: code.bookingId, held },
    pin: String(pinCode),
    reportPhoto,
    ...team,
    ...room,
    verification,
  };
}

/** Runs the tasks that are due ten minutes before a session: its code is requested, saved and mailed. */
async function settleBefore(server: StateServer, { startTime }: Span): Promise<void> {
  await server.moveTo(new Date(Date.parse(startTime) - HOUR / 6));
  for (const _ of ['request', 'code', 'mail']) await server.settle();
}

const as = async (server: Client, { email, password }: Person): Promise<{ token: string }> => ({
  token: await server.signIn(email, password),
});
/** Calls a function as a person. Throws unless the call succeeds. */
export const callAs = async (
  server: Client,
  person: Person,
  name: string,
  body: unknown,
): Promise<Record<string, unknown>> => server.ask(`/functions/v1/${name}`, { ...(await as(server, person)), body });

/** Adds the owner, with a second factor, and a colleague. */
async function addTeam(server: StateServer): Promise<Pick<Facts, 'totpSecret'>> {
  const token = server.app.keys.serviceRoleKey;
  const add = async ({ email, password }: Person): Promise<string> => {
    const body = { email, password, email_confirm: true, user_metadata: { full_name: 'Robin Citizen' } };
    return String((await server.ask('/auth/v1/admin/users', { token, body }))['id']);
  };
  await server.ask('/rest/v1/user_roles', { token, body: { user_id: await add(OWNER), role: 'admin' } });
  await callAs(server, OWNER, 'staff-set-permissions', { userId: await add(COLLEAGUE), permissions: ['bookings'] });
  const owner = await as(server, OWNER);
  const factor = await server.ask('/auth/v1/factors', {
    ...owner,
    body: { factor_type: 'totp', friendly_name: 'Phone' },
  });
  const totpSecret = String(Object(factor['totp']).secret);
  await showFactor(server, owner.token, { id: String(factor['id']), totpSecret });
  return { totpSecret };
}

/** Enters the code of an authenticator app. Returns the token of the session with the second factor. */
export async function showFactor(
  server: StateServer,
  token: string,
  { id, totpSecret }: { id: string; totpSecret: string },
): Promise<string> {
  const challenge = await server.ask(`/auth/v1/factors/${id}/challenge`, { token, body: {} });
  const code = new TOTP({ secret: Secret.fromBase32(totpSecret) }).generate({ timestamp: server.now().getTime() });
  const body = { challenge_id: challenge['id'], code };
  return String((await server.ask(`/auth/v1/factors/${id}/verify`, { token, body }))['access_token']);
}

export async function signUp(server: Client, { email, password }: Person, name: string): Promise<void> {
  const data = { full_name: `${name} Citizen`, phone: '0400 000 000', date_of_birth: '1998-04-03' };
  await server.ask('/auth/v1/signup', { body: { email, password, data } });
  for (let tries = 0; ; tries += 1) {
    const mails = Object(await server.sandbox(`/api/mail?to=${encodeURIComponent(email)}`));
    const code = /^Code: (\d{6})$/m.exec(String(mails[0]?.text))?.[1];
    if (code !== undefined)
      return void (await server.ask('/auth/v1/verify', { body: { type: 'email', email, token: code } }));
    if (tries === 100) throw new Error(`no code was mailed to ${email}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Submits a licence with these given names. Returns the id of the check. */
export async function verifyId(server: Client, person: Person, given: string): Promise<string> {
  const licence = await server.sandboxFile(`/licence.jpg?given=${encodeURIComponent(given)}&family=Citizen`);
  const idImage = `data:image/jpeg;base64,${licence.toString('base64')}`;
  const { verificationId, decision } = await callAs(server, person, 'verify-id', { idImage });
  if (decision !== 'verified' && decision !== 'review')
    throw new Error(`the check of ${given} ended as ${String(decision)}`);
  return String(verificationId);
}

const photo = (background: string): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .jpeg()
    .toBuffer();

/** Adds a discount code, a price, a notice, a closure and the photo of a room. */
async function furnish(server: StateServer): Promise<Pick<Facts, 'roomPhoto'>> {
  const token = server.app.keys.serviceRoleKey;
  const code = { code: 'WELCOME', discount_type: 'percentage', discount_value: 10 };
  await server.ask('/rest/v1/discount_codes', { token, body: code });
  const roomPhoto = '0a1b2c3d-0000-4000-8000-000000000001.jpg';
  await server.ask(`/storage/v1/object/rooms/${roomPhoto}`, {
    ...(await as(server, OWNER)),
    body: await photo('#123'),
  });
  const room = { photos: [roomPhoto, 'drawn-c'] };
  await callAs(server, OWNER, 'staff-set-room', { studioId: studioId('c'), room });
  await callAs(server, OWNER, 'staff-set-settings', { notice: 'Closed on Monday for repairs.' });
  const closed = { ...span(server, 12 * DAY, 4, 'c'), reason: 'Repairs', public: true };
  await callAs(server, OWNER, 'staff-close', closed);
  const prices = { name: 'New Year', hourCents: Array.from({ length: 24 }, () => 9_900) };
  const day = `${server.now().getUTCFullYear()}-12-31`;
  await callAs(server, OWNER, 'staff-set-prices', { studioId: null, firstDay: day, lastDay: day, prices });
  return { roomPhoto };
}

type Span = { readonly studioId: string; readonly startTime: string; readonly endTime: string };

function span(server: StateServer, ahead: number, hours: number, letter: 'a' | 'b' | 'c' = 'a'): Span {
  const start = Math.floor((server.now().getTime() + ahead) / HOUR) * HOUR;
  const [startTime, endTime] = [start, start + hours * HOUR].map((at) => new Date(at).toISOString());
  return { studioId: studioId(letter), startTime: startTime ?? '', endTime: endTime ?? '' };
}

export async function hold(
  server: Client,
  person: Person,
  at: Span,
  more: Record<string, unknown> = {},
): Promise<string> {
  const metadata = { ...at, couponCode: null, termsAccepted: true, ...more };
  return String((await callAs(server, person, 'create-payment', { metadata }))['bookingId']);
}

async function book(
  server: StateServer,
  person: Person,
  at: Span,
  more: Record<string, unknown> = {},
): Promise<string> {
  const bookingId = await hold(server, person, at, more);
  await pay(server, bookingId);
  return bookingId;
}

/** Makes a free booking for an account or a guest. */
async function give(server: StateServer, customerEmail: string, at: Span): Promise<string> {
  const gift = {
    ...at,
    customerEmail,
    customerName: 'Jo Citizen',
    payment: 'free',
    notes: 'A gift',
    requestId: at.startTime,
  };
  return String((await callAs(server, OWNER, 'staff-create-booking', gift))['bookingId']);
}

/** Pays a booking at the sandbox's payment provider. */
export async function pay(server: Client, bookingId: string): Promise<void> {
  const payments = (await server.sandbox('/api/payments')) as readonly { id: string; client_reference_id: string }[];
  const sessionId = payments.find((payment) => payment.client_reference_id === bookingId)?.id ?? '';
  await server.sandbox(`/api/payments/${sessionId}`, { outcome: 'paid' });
  const { paid } = await server.ask('/functions/v1/verify-payment', { body: { sessionId } });
  if (paid !== true) throw new Error(`the booking ${bookingId} is not paid`);
}

async function addBookings(
  server: StateServer,
): Promise<Pick<Facts['bookings'], 'paid' | 'cancelled' | 'series' | 'moved'>> {
  const paid = await book(server, ALEX, span(server, 5 * DAY, 2), { couponCode: 'WELCOME' });
  await callAs(server, KIM, 'join-waitlist', span(server, 5 * DAY, 2));
  const cancelled = await book(server, ALEX, span(server, 6 * DAY, 1));
  await callAs(server, ALEX, 'cancel-booking', { bookingId: cancelled });
  const first = span(server, 8 * DAY, 1, 'b');
  const dates = [0, 7, 14].map((days) => sydneyDate(Date.parse(first.startTime) + days * DAY));
  const series = await book(server, ALEX, first, { series: { dates } });
  const moved = await book(server, KIM, span(server, 7 * DAY, 2));
  const move = { bookingId: moved, ...span(server, 7 * DAY + 3 * HOUR, 1, 'b') };
  const { differenceCents } = await callAs(server, KIM, 'reschedule-booking', { ...move, preview: true });
  await callAs(server, KIM, 'reschedule-booking', { ...move, differenceCents });
  await server.settle();
  return { paid, cancelled, series, moved };
}

const sydneyDate = (at: number): string => new Date(at).toLocaleDateString('en-CA', { timeZone: 'Australia/Sydney' });

/** Adds a report with a photo, and a rating, to a booking that is over. */
async function reportProblem(server: StateServer, bookingId: string): Promise<string> {
  const { token } = await as(server, ALEX);
  const { id } = await server.ask('/auth/v1/user', { token });
  const reportPhoto = `${String(id)}/bass.jpg`;
  await server.ask(`/storage/v1/object/incidents/${reportPhoto}`, { token, body: await photo('#f00') });
  const report = {
    kind: 'problem',
    category: 'sound',
    description: 'No bass',
    requestId: 'once',
    photos: [reportPhoto],
  };
  await callAs(server, ALEX, 'report-problem', { bookingId, ...report });
  await callAs(server, ALEX, 'rate-session', { bookingId, score: 4, words: 'Warm sound' });
  return reportPhoto;
}

/** Adds notes, a guest's booking, an invitation of the crew and an entry of the mailing list. */
async function addStaffWork(server: StateServer, bookingId: string): Promise<void> {
  const colleague = await as(server, COLLEAGUE);
  const noteId = '5e000000-0000-4000-8000-000000000001';
  const note = { note_id: noteId, booking: bookingId, note: 'Brings own mixer' };
  await server.ask('/rest/v1/rpc/add_booking_note', { ...colleague, body: note });
  const { id } = await server.ask('/auth/v1/user', await as(server, ALEX));
  const about = { note_id: noteId, customer: id, note: 'Prefers Studio A' };
  await server.ask('/rest/v1/rpc/add_customer_note', { ...colleague, body: about });
  await give(server, 'guest@example.org', span(server, 4 * DAY, 1, 'b'));
  await callAs(server, ALEX, 'crew-invite', { bookingId });
  await callAs(server, OWNER, 'staff-invite', { email: 'invited@example.org', permissions: ['identity'] });
  await server.ask('/rest/v1/mailing_list', {
    token: server.app.keys.serviceRoleKey,
    body: { email: 'reader@example.org' },
  });
}
