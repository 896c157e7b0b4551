import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { checkPhoto } from '#server/operations/identity/check-photo.ts';
import { createCheckQueue } from '#server/operations/identity/check-queue.ts';
import type { Services } from '#server/operations/core/services.ts';
import { deletePhoto } from '#server/operations/identity/delete-photo.ts';
import { readHostedCheck, startHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { acceptEvent } from '#server/operations/webhooks/handle-events.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { IdentitySession, LicenceReading, ObjectStore } from '#server/providers/ports.ts';
import { addPerson, embedded, HOUR, START } from './booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

let db: Database;
let close: () => Promise<void>;
let now = START;
let person: string;

const reading: LicenceReading = {
  documentKind: 'driver_licence',
  issuingState: 'NSW',
  medium: 'physical',
  givenNames: 'Alex Jordan Lee',
  familyName: 'CITIZEN',
  dateOfBirth: { iso: '1998-04-03', printed: '03 APR 1998' },
  expiry: { iso: '2031-12-31', printed: '31 DEC 2031' },
  isLegible: true,
  issues: [],
  confidence: 94,
};
const hostedSession: IdentitySession = {
  id: 'vs_1',
  url: 'https://verify.example/1',
  status: 'requires_input',
  lastError: null,
  firstName: 'Alex',
  lastName: 'Citizen',
  dateOfBirth: '1998-04-03',
  documentExpiry: '2031-12-31',
};
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
const noResponse = new ProviderError('reader', 'no_response', { retryable: true });

beforeAll(async () => {
  if (!embedded) throw new Error('there is no embedded database');
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  now = START;
  await db.query('delete from private.outbox');
  await db.query('delete from private.identity_session');
  person = await addPerson(db, { verifiedUntil: null });
});

type Given = { read?: () => Promise<LicenceReading>; session?: Partial<IdentitySession>; fails?: Error };
/** Creates a context with a reader, a hosted check and a store in memory. */
function checksWith({ read = () => Promise.resolve(reading), session = {}, fails }: Given = {}) {
  const state = { session: { ...hostedSession, ...session }, kept: new Map<string, Uint8Array>() };
  const created: unknown[] = [];
  const lookUps: string[] = [];
  const store: Partial<ObjectStore> = {
    put: async (key, bytes) => void state.kept.set(key, bytes as Uint8Array),
    remove: async (key) => void state.kept.delete(key),
  };
  const context = servicesWith({
    db,
    idReader: { read },
    pictures: { repack: () => Promise.resolve(Uint8Array.from([1, 2, 3])) },
    hostedChecks: {
      createSession: async (input) => {
        created.push(input);
        if (fails) throw fails;
        return state.session;
      },
      getSession: async (id) => {
        lookUps.push(id);
        return state.session;
      },
    },
    store,
    clock: () => new Date(now),
    siteUrl: 'https://studio.example',
    checkQueue: createCheckQueue({ atOnce: 1 }),
  });
  return { context, state, created, lookUps };
}
const readRow = (id: string) =>
  db.queryRow(
    `select user_id as "user", source, verification_status as status, failure_reasons as reasons, extracted_full_name as name,
       extracted_first_name as first, extracted_middle_name as middle, extracted_last_name as last, extracted_dob as born,
       extracted_expiry_date as expiry, is_over_18 as adult, age_at_verification as age, is_expired as expired, is_nsw_license as nsw,
       name_match_status as "nameMatch", profile_dob as "profileBorn", dob_matches as "bornMatches", ai_confidence_score as confidence,
       verified_at as "verifiedAt", expires_at as "expiresAt", image_path as image
     from public.id_verifications where id = $1::uuid`,
    [id],
  );

describe('a photo of a licence', () => {
  test('that matches is stored with what was read, valid to the last day of the licence, and the photo is not kept', async () => {
    const { context, state } = checksWith();
    const verification = await checkPhoto(context, person, JPEG);
    expect(verification).toMatchObject({
      reading,
      judgement: { decision: 'verified' },
      profileBirthDate: '1998-04-03',
    });
    expect(await readRow(verification.id)).toEqual({
      user: person,
      source: 'photo',
      status: 'verified',
      reasons: [],
      name: 'Alex Jordan Lee CITIZEN',
      first: 'Alex',
      middle: 'Jordan Lee',
      last: 'CITIZEN',
      born: '1998-04-03',
      expiry: '2031-12-31',
      adult: true,
      age: 32,
      expired: false,
      nsw: true,
      nameMatch: 'match',
      profileBorn: '1998-04-03',
      bornMatches: true,
      confidence: expect.stringMatching(/^0\.940*$/),
      verifiedAt: new Date(START),
      expiresAt: new Date('2031-12-31T13:00:00Z'),
      image: null,
    });
    expect(state.kept.size).toBe(0);
    const audit = await db.queryRow(
      `select actor, details - 'at' as details from public.audit_logs where action = 'create' and resource_id = $1`,
      [verification.id],
    );
    expect(audit).toEqual({ actor: person, details: { source: 'photo', decision: 'verified' } });
  });

  test('in doubt is kept for staff for seven days at most, then deleted, and the decision no longer names it', async () => {
    const { context, state } = checksWith({
      read: () => Promise.resolve({ ...reading, confidence: 140, issuingState: null }),
    });
    const { id, judgement } = await checkPhoto(context, person, JPEG);
    expect(judgement.decision).toBe('review');
    const [key = ''] = [...state.kept.keys()];
    expect(key).toMatch(/^review\/[0-9a-f-]{36}\.jpg$/);
    // The re-encoded photo is kept, never the uploaded file.
    expect(state.kept.get(key)).toEqual(Uint8Array.from([1, 2, 3]));
    expect(await readRow(id)).toMatchObject({
      status: 'review',
      verifiedAt: null,
      expiresAt: null,
      image: key,
      confidence: expect.stringMatching(/^1(\.0+)?$/),
    });
    const job = await db.queryRow<{ at: Date; payload: { key: string } }>(
      `select due_at as at, payload from private.outbox where kind = 'image.delete' and subject_id = $1::uuid`,
      [id],
    );
    expect(job).toEqual({ at: new Date(START + 7 * 24 * HOUR), payload: { key } });
    const deletion = {
      id: '',
      kind: 'image.delete',
      subjectId: id,
      payload: { key },
      dueAt: new Date(),
      deadlineAt: null,
      recipient: null,
      tries: 1,
    };
    expect(await deletePhoto(context, deletion)).toBe('done');
    expect(state.kept.size).toBe(0);
    expect(await readRow(id)).toMatchObject({ image: null, status: 'review' });
  });

  test('with only a readable family name is stored without the rest', async () => {
    const none = { iso: null, printed: null };
    const { context } = checksWith({
      read: () => Promise.resolve({ ...reading, givenNames: null, dateOfBirth: none, expiry: none, confidence: -5 }),
    });
    const { id } = await checkPhoto(context, person, JPEG);
    expect(await readRow(id)).toMatchObject({
      name: 'CITIZEN',
      first: null,
      middle: null,
      last: 'CITIZEN',
      born: null,
      expiry: null,
      confidence: expect.stringMatching(/^0(\.0+)?$/),
    });
  });

  test('needs a name in the profile and a reader that answers; another error is thrown on', async () => {
    await expect(
      checkPhoto(checksWith({ read: () => Promise.reject(noResponse) }).context, person, JPEG),
    ).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'We couldn’t read your ID just now. Please try again, or use the online check.',
    });
    const error = new Error('an error of our own');
    await expect(checkPhoto(checksWith({ read: () => Promise.reject(error) }).context, person, JPEG)).rejects.toBe(
      error,
    );
    await db.query('update public.profiles set full_name = null where user_id = $1::uuid', [person]);
    await expect(checkPhoto(checksWith().context, person, JPEG)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Please add your name to your profile first.',
    });
  });
});

describe('a hosted check', () => {
  test('starts on the page of the provider, with a new key for each check of a customer', async () => {
    const { context, created, state } = checksWith();
    expect(await startHostedCheck(context, person, 'person@example.com')).toEqual({
      id: 'vs_1',
      url: 'https://verify.example/1',
    });
    state.session = { ...state.session, id: 'vs_2' };
    await startHostedCheck(context, person, 'person@example.com');
    const expected = { userId: person, email: 'person@example.com', returnUrl: 'https://studio.example/verify-return' };
    expect(created).toEqual([
      { ...expected, key: `identity:${person}:0` },
      { ...expected, key: `identity:${person}:1` },
    ]);
  });

  test('that cannot start is refused; another error is thrown on', async () => {
    const refusal = {
      code: 'provider_unavailable',
      message: 'We can’t reach the identity check right now. Please try again in a moment.',
    };
    const start = (given: Given) => startHostedCheck(checksWith(given).context, person, 'person@example.com');
    await expect(start({ fails: noResponse })).rejects.toMatchObject(refusal);
    await expect(start({ session: { url: null } })).rejects.toMatchObject(refusal);
    const error = new Error('an error of our own');
    await expect(start({ fails: error })).rejects.toBe(error);
  });

  test('that is verified is decided once, and read from the database from then on', async () => {
    const { context, state, lookUps } = checksWith();
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    expect(await readHostedCheck(context, person, id)).toEqual({
      verified: false,
      status: 'requires_input',
      error: null,
    });
    state.session = { ...state.session, status: 'processing', lastError: 'abandoned' };
    expect(await readHostedCheck(context, person, id)).toEqual({ verified: false, status: 'processing', error: null });
    state.session = { ...state.session, status: 'verified', lastError: null };
    const verified = { verified: true, status: 'verified', error: null };
    expect(await Promise.all([readHostedCheck(context, person, id), readHostedCheck(context, person, id)])).toEqual([
      verified,
      verified,
    ]);
    lookUps.length = 0;
    expect(await readHostedCheck(context, person, id)).toEqual(verified);
    expect(lookUps).toEqual([]);
    const { rows } = await db.query<{ source: string; confidence: string; expiry: Date }>(
      `select source, ai_confidence_score as confidence, expires_at as expiry from public.id_verifications where user_id = $1::uuid`,
      [person],
    );
    expect(rows).toEqual([
      { source: 'hosted', confidence: expect.stringMatching(/^1(\.0+)?$/), expiry: new Date('2031-12-31T13:00:00Z') },
    ]);
  });

  test('of another customer is not found, whatever its state, and the provider is not called', async () => {
    const { context, lookUps } = checksWith({ session: { lastError: 'document_expired' } });
    const other = await addPerson(db);
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    const missing = { code: 'not_found', message: 'Verification session not found' };
    await expect(readHostedCheck(context, other, id)).rejects.toMatchObject(missing);
    await expect(readHostedCheck(context, person, 'vs_unknown')).rejects.toMatchObject(missing);
    expect(lookUps).toEqual([]);
    expect(await readHostedCheck(context, person, id)).toEqual({
      verified: false,
      status: 'requires_input',
      error: 'Your document has expired.',
    });
    expect(lookUps).toEqual([id]);
  });

  test.each([
    ['another name', { firstName: 'Robin', lastName: 'Other' }, 'review', /name on your ID does not match/],
    ['another birth date', { dateOfBirth: '1999-09-09' }, 'review', /date of birth on your ID does not match/],
    [
      'somebody under 18',
      { dateOfBirth: '2020-04-03' },
      'failed',
      /^Your licence says you turn 18 on \w+ 3 April 2038\./,
    ],
    ['an expired document', { documentExpiry: '2030-01-01' }, 'failed', /Your ID has expired/],
  ] as const)('of %s is not verified, with the reason, also when read again', async (_what, session, status, error) => {
    const { context } = checksWith({ session: { ...session, status: 'verified' } });
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    const answer = { verified: false, status, error: expect.stringMatching(error) };
    expect(await readHostedCheck(context, person, id)).toEqual(answer);
    expect(await readHostedCheck(context, person, id)).toEqual(answer);
  });

  test.each([
    ['abandoned', 'The check wasn’t finished.'],
    ['consent_declined', 'We can’t check your ID without your consent.'],
    ['country_not_supported', 'We can’t check documents from this country.'],
    ['device_not_supported', 'The check doesn’t work on this device. Please try another one.'],
    ['document_expired', 'Your document has expired.'],
    ['document_type_not_supported', 'We can’t check this type of document. Please use a driver licence.'],
    ['under_supported_age', 'You must be 18 years or older.'],
    ['document_unverified_other', 'We couldn’t verify your document. Please try again.'],
  ])('that ended with %s is explained: %s', async (lastError, message) => {
    const { context } = checksWith({ session: { lastError } });
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    expect(await readHostedCheck(context, person, id)).toEqual({
      verified: false,
      status: 'requires_input',
      error: message,
    });
  });
});

describe('an event about a hosted check', () => {
  const warnings: unknown[] = [];
  beforeEach(async () => {
    warnings.length = 0;
    await db.query('delete from private.webhook_inbox');
    await db.query('delete from realtime.messages');
  });

  /** Accepts an event of the provider. Returns whether it is handled and how many times the account's pages were notified. */
  async function accept(checks: Services, type: string, objectId: string) {
    const events = servicesWith({
      db,
      payments: { provider: 'stripe' },
      clock: () => new Date(now),
      log: { info: () => undefined, warn: (fields) => void warnings.push(fields['reason']), error: () => undefined },
    });
    const id = `evt_${randomUUID()}`;
    const event = {
      id,
      type: `identity.verification_session.${type}`,
      objectId,
      paymentIntentId: null,
      livemode: false,
    };
    await acceptEvent({ ...events, customerClass: checks }, event);
    return db.queryRow(
      `select handled_at is not null as handled,
         (select count(*)::int from realtime.messages where topic = 'user:' || $2 and event = 'verification') as notified
       from private.webhook_inbox where event_id = $1`,
      [id, person],
    );
  }

  test('that is verified stores the decision and notifies the account', async () => {
    const { context } = checksWith({ session: { status: 'verified' } });
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    expect(await accept(context, 'verified', id)).toEqual({ handled: true, notified: 1 });
    expect(await accept(context, 'verified', id)).toEqual({ handled: true, notified: 1 });
    const { rows } = await db.query('select id from public.user_verifications where user_id = $1::uuid', [person]);
    expect(rows).toHaveLength(1);
  });

  test.each(['processing', 'requires_input', 'canceled'] as const)(
    'that is %s notifies the account',
    async (status) => {
      const { context } = checksWith({ session: { status } });
      const { id } = await startHostedCheck(context, person, 'person@example.com');
      expect(await accept(context, status, id)).toEqual({ handled: true, notified: 1 });
    },
  );

  test('of another program, or of a customer without a profile, is handled and logged', async () => {
    const { context } = checksWith({ session: { status: 'verified' } });
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    await db.query('update public.profiles set full_name = null where user_id = $1::uuid', [person]);
    expect(await accept(context, 'verified', 'vs_of_others')).toEqual({ handled: true, notified: 0 });
    expect(await accept(context, 'verified', id)).toEqual({ handled: true, notified: 0 });
    expect(warnings).toEqual(['not_found', 'invalid_request']);
  });

  test('stays in the inbox while the provider does not answer', async () => {
    const { context } = checksWith();
    const { id } = await startHostedCheck(context, person, 'person@example.com');
    const hostedChecks = { ...requireChecks(context), getSession: () => Promise.reject(noResponse) };
    const silent = { ...context, hostedChecks };
    expect(await accept(silent, 'verified', id)).toEqual({ handled: false, notified: 0 });
  });
});

function requireChecks({ hostedChecks }: Services): NonNullable<Services['hostedChecks']> {
  if (hostedChecks === null) throw new Error('there is no hosted check');
  return hostedChecks;
}
