import { randomUUID } from 'node:crypto';
import { createBackgroundJobs } from '#server/operations/jobs/background-jobs.ts';
import { createEncryption } from '#server/crypto/encryption.ts';
import { createFingerprint } from '#server/crypto/fingerprint.ts';
import { createLinkSigner } from '#server/crypto/link-signer.ts';
import type { Database } from '#server/db/database.ts';
import { readSchema } from '#server/db/schema/schema.ts';
import { openPostgres } from '#server/db/postgres/open-postgres.ts';
import { holdBooking, type HoldRequest } from '#server/operations/bookings/hold.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { createSingleFlight } from '#server/operations/core/single-flight.ts';
import type { JobKind } from '#rules/alerts/jobs.ts';
import { ALL_JOBS } from '#server/operations/jobs/all-jobs.ts';
import { jobKinds, WORKERS } from '#server/operations/core/jobs.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { reconcilePayments } from '#server/operations/reconciliation/reconcile-payments.ts';
import type { ProviderError } from '#server/providers/call.ts';
import type { LockCapabilities, MailMessage } from '#server/providers/ports.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { constants as studio } from '#rules/venue.ts';
import { strictDatabase } from './strict-database.ts';
import { takeEmbedded } from '#tests/support/databases/embedded-pool.ts';
import { createFakeLocks, type FakeLocks } from '#tests/support/providers/locks.ts';
import { createFakeMail, createFakeTexts } from '#tests/support/providers/messages.ts';
import { createFakeProvider, type FakeProvider } from '#tests/support/providers/payments.ts';
import { createMigratedDatabase } from '#tests/support/postgres.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** The booking operations on a real database, with in-memory providers: no test server and no network. */

const DATABASE = new URL('../../database/', import.meta.url).pathname;
/** Kinds of jobs that no test of the booking operations runs: this system lacks their providers and completes them at once. */
const UNTRIED: readonly JobKind[] = [
  'mail.id-decision',
  'mail.review-waiting',
  'mail.staff-invitation',
  'mail.second-factor',
  'mail.customer',
  'mail.campaign',
  'mail.campaign-test',
  'mail.job-alert',
  'payment.compare-ledger',
  'image.delete',
  'power.follow',
  'pass.apple',
  'pass.google',
];
export const HOUR = 3_600_000;
export const MINUTE = 60_000;
/** 11 am in Sydney. */
export const START = Date.parse('2031-03-01T00:00:00Z');
export const STUDIO = '5a000000-0000-4000-8000-0000000000fe';
export const LOCK = 'lock-1';

type Opened = { readonly db: Database; close(): Promise<void> };
const options = async () => ({
  schema: await readSchema(DATABASE),
  report: () => undefined,
  warn: () => undefined,
});

type TestDatabase = { readonly name: string; open(): Promise<Opened> };
export const embedded: TestDatabase = {
  name: 'the embedded database',
  async open() {
    const db = await takeEmbedded();
    return { db, close: () => db.close() };
  },
};
/** The engines that are available: always the embedded one, and PostgreSQL if the test run has started it. */
export const databases: readonly TestDatabase[] = [
  embedded,
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'PostgreSQL', open: openOnPostgres }] : []),
];
async function openOnPostgres(): Promise<Opened> {
  const own = await createMigratedDatabase();
  if (!own) throw new Error('PostgreSQL went away');
  const db = await openPostgres(own.url, { ...(await options()), poolSize: 4 });
  return { db, close: () => db.close().then(() => own.drop()) };
}

export type BookingSystem = Awaited<ReturnType<typeof createBookingSystem>>;

/** Creates everything between the functions and the providers; the test moves `now`. */
export async function createBookingSystem(db: Database, lock: Partial<LockCapabilities> = {}) {
  const clock = (): Date => new Date(state.now);
  const provider: FakeProvider = createFakeProvider(clock);
  const door = createFakeLocks(clock, [LOCK], lock);
  const state: State = {
    now: START,
    mailFails: false,
    hour: 0,
    codes: door.codes,
    requests: door.requests,
    revoked: door.revoked,
    get lockFails() {
      return door.fails;
    },
    set lockFails(error) {
      door.fails = error;
    },
    get duringRequest() {
      return door.duringRequest;
    },
    set duringRequest(work) {
      door.duringRequest = work;
    },
  };
  const mails: MailMessage[] = [];
  /** Mails with a refund note: every completed refund sends one, in addition to the mails that a test checks. */
  const notes: MailMessage[] = [];
  const logged: string[] = [];
  const logFields: Record<string, unknown>[] = [];
  const say = (fields: Record<string, unknown>, message: string): void => {
    if (!/\w/.test(message)) throw new Error('a log line has no text');
    logged.push(message);
    logFields.push(fields);
  };
  const log = { info: () => undefined, warn: say, error: say };
  await db.query(
    `insert into public.studios (id, name, hourly_rate) values ($1::uuid, 'Studio', 49) on conflict do nothing`,
    [STUDIO],
  );
  const links = createLinkSigner(Buffer.alloc(32, 1));
  const { locks } = door;
  const texts: { to: string; text: string }[] = [];
  const services = servicesWith({
    db: strictDatabase(db),
    clock,
    log,
    siteUrl: 'https://studio.example',
    config: {
      holdMinutes: 15,
      sessionMinutes: 31,
      answerWithinMs: 60_000,
      limitFactor: 1,
      alertAddresses: [],
      developerPages: false,
    },
    business: () => firstSettings,
    links,
    mail: createFakeMail((message) => {
      (message.subject.startsWith('Your refund receipt') ? notes : mails).push(message);
      if (state.mailFails !== false)
        throw state.mailFails === true ? new Error('the mail server is down') : state.mailFails;
    }),
    texts: createFakeTexts((message) => texts.push(message)),
    payments: provider.payments,
    openings: createSingleFlight(),
    countOutcome: () => undefined,
    locks,
    studioLocks: new Map([[STUDIO, LOCK]]),
    encryption: createEncryption(Buffer.alloc(32, 2)),
    fingerprint: createFingerprint(Buffer.alloc(32, 3)),
  });
  const { queue, scheduler } = createBackgroundJobs(services, {
    workers: WORKERS,
    releaseExpiredHolds: (stop) => releaseExpiredHolds(services, stop),
    reconcilePayments: () => reconcilePayments(services),
    circuits: {},
    tasks: [],
    // Jobs that need other services are completed at once.
    kinds: jobKinds(
      ALL_JOBS.map((job) => (UNTRIED.includes(job.kind) ? { ...job, handle: async () => 'done' as const } : job)),
      services,
    ),
  });
  const jobs = { scheduler, drain: () => queue.run() };

  /** Returns the next free hours, a week ahead; `hours` long. */
  function nextSpan(hours = 1): { startTime: Date; endTime: Date } {
    const start = Math.floor(state.now / HOUR) * HOUR + 7 * 24 * HOUR + state.hour * HOUR;
    state.hour += hours;
    return { startTime: new Date(start), endTime: new Date(start + hours * HOUR) };
  }
  const request = (userId: string, more: Partial<HoldRequest> = {}): HoldRequest => ({
    userId,
    // Coupon guesses count only for the account, because the tests share one address.
    ip: '',
    email: 'person@example.com',
    studioId: STUDIO,
    ...nextSpan(),
    series: null,
    couponCode: null,
    details: { contactPhone: null },
    termsAccepted: true,
    termsVersion: null,
    shownTotalCents: null,
    ...more,
  });
  const readSessionId = async (bookingId: string): Promise<string> =>
    (
      await db.queryRow<{ id: string }>('select session_id as id from private.payment where booking_id = $1::uuid', [
        bookingId,
      ])
    )?.id ?? '';
  /** Makes a paid and confirmed booking. */
  async function book(userId: string, more: Partial<HoldRequest> = {}): Promise<{ id: string; sessionId: string }> {
    const { bookingId } = await holdBooking(services, request(userId, more));
    const sessionId = await readSessionId(bookingId);
    provider.move(sessionId, 'pay');
    await settlePayment(services, sessionId);
    return { id: bookingId, sessionId };
  }
  return {
    state,
    provider,
    door,
    services,
    jobs,
    links,
    mails,
    notes,
    texts,
    logged,
    logFields,
    locks,
    clock,
    log,
    request,
    readSessionId,
    book,
    nextSpan,
  };
}

/** The state that a test changes and checks; the lock's part is that of `FakeLocks`. */
type State = Pick<FakeLocks, 'codes' | 'requests' | 'revoked' | 'duringRequest'> & {
  now: number;
  /** True: the mail server does not answer. An error: it refuses with this error. */
  mailFails: boolean | Error;
  /** While set, the lock fails with this error. */
  lockFails: ProviderError | null;
  hour: number;
};

export type PersonOptions = {
  readonly born?: string;
  readonly mailConfirmed?: boolean;
  /** The end of the verification; null without one. */
  readonly verifiedUntil?: Date | null;
  readonly terms?: string | null;
};

/** Adds a person who may book, unless the options differ. Returns their id. */
export async function addPerson(db: Database, given: PersonOptions = {}): Promise<string> {
  const { born = '1998-04-03', mailConfirmed = true, terms = studio.termsVersion } = given;
  const until = given.verifiedUntil === undefined ? new Date(START + 2 * 365 * 24 * HOUR) : given.verifiedUntil;
  const row = await db.queryRow<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, raw_user_meta_data, created_at)
     values ($1, $2::timestamptz, $3::jsonb, $4::timestamptz) returning id`,
    [
      `${randomUUID().slice(0, 13)}@example.com`,
      mailConfirmed ? new Date(START) : null,
      { full_name: 'Alex Citizen', phone: '+61400000000', date_of_birth: born },
      new Date(START),
    ],
  );
  const id = row?.id ?? '';
  if (until !== null)
    await db.query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
       values ($1::uuid, 'staff', 'verified', $2::timestamptz, $3::timestamptz)`,
      [id, new Date(START - HOUR), until],
    );
  if (terms !== null)
    await db.query('insert into public.terms_acceptances (user_id, version) values ($1::uuid, $2)', [id, terms]);
  return id;
}
