import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { UNDER_AGE } from '#rules/identity.ts';
import type { Database } from '#server/db/database.ts';
import type { Services } from '#server/operations/core/services.ts';
import { type Review, reviewId } from '#server/operations/identity/review.ts';
import { viewPicture } from '#server/operations/identity/view-picture.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import { addPerson, embedded, START } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { readAudit } from './records.ts';

const STAFF = randomUUID();

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let services: Services;
let person: string;
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  cases = await createPaymentCases(db);
  const pictures = new Map([['review/a.jpg', Buffer.from('picture')]]);
  services = {
    ...cases.system.services,
    store: { get: (key: string) => Promise.resolve(pictures.get(key) ?? null) } as Services['store'],
  };
  person = await addPerson(db, { verifiedUntil: null });
});

type Read = {
  first?: string | null;
  middle?: string | null;
  last?: string | null;
  born?: string;
  expiry?: string | null;
};
/** Adds an ID of the person that awaits review. */
async function addWaiting(read: Read = {}, source = 'photo'): Promise<string> {
  const found = { first: 'Alex', middle: null, last: 'CITIZEM', born: '1998-04-03', expiry: '2031-12-31', ...read };
  const row = await db.queryRow<{ id: string }>(
    `insert into public.id_verifications (user_id, source, image_path, verification_status, failure_reasons, created_at,
       extracted_first_name, extracted_middle_name, extracted_last_name, extracted_dob, extracted_expiry_date)
     values ($1::uuid, $2, 'review/a.jpg', 'review', '{The names differ.}', $3::timestamptz, $4, $5, $6, $7::date, $8::date) returning id`,
    [person, source, new Date(START), found.first, found.middle, found.last, found.born, found.expiry],
  );
  return row?.id ?? '';
}
const review = (verificationId: string, more: Partial<Review> = {}) =>
  reviewId(services, { verificationId, decision: 'approve', reason: null, fields: {}, ...more }, STAFF);
const readVerification = (id: string) =>
  db.queryRow(
    `select verification_status as status, failure_reasons as reasons, verified_at as verified, expires_at as expires, extracted_full_name as name,
       extracted_first_name as first, extracted_middle_name as middle, extracted_last_name as last, extracted_dob as born,
       extracted_expiry_date as expiry, is_over_18 as adult, age_at_verification as age, is_expired as expired, name_match_status as "nameMatch",
       profile_dob as "profileBorn", dob_matches as "bornMatches"
     from public.id_verifications where id = $1::uuid`,
    [id],
  );
const readMailKinds = async (id: string) =>
  (
    await db.query<{ kind: string }>(
      `select kind from private.outbox where subject_id = $1::uuid and kind like 'mail.%' order by kind`,
      [id],
    )
  ).rows.map(({ kind }) => kind);

describe('a decision about an ID', () => {
  test('that approves it stores what staff corrected, is valid as long as the ID, and is mailed and logged once', async () => {
    const id = await addWaiting({ middle: 'Jordan Lee' });
    const fields = { lastName: 'CITIZEN', firstName: 'Alex' };
    expect(await review(id, { fields })).toEqual({ status: 'verified' });
    expect(await review(id, { fields })).toEqual({ status: 'verified' });
    expect(await readVerification(id)).toEqual({
      status: 'verified',
      reasons: [],
      verified: new Date(START),
      expires: expect.any(Date),
      name: 'Alex Jordan Lee CITIZEN',
      first: 'Alex',
      middle: 'Jordan Lee',
      last: 'CITIZEN',
      born: '1998-04-03',
      expiry: '2031-12-31',
      adult: true,
      age: 32,
      expired: false,
      nameMatch: expect.any(String),
      profileBorn: '1998-04-03',
      bornMatches: true,
    });
    expect(await readAudit(db, id)).toEqual([
      {
        actor: STAFF,
        action: 'update',
        details: {
          decision: 'approve',
          before: { status: 'review' },
          after: { status: 'verified' },
          corrected: ['lastName'],
        },
      },
    ]);
    expect(await readMailKinds(id)).toEqual(['mail.id-decision']);
    expect(
      await db.queryRow(
        'select decision, reason, decided_by as actor, decided_at as at from private.id_review where verification_id = $1::uuid',
        [id],
      ),
    ).toEqual({
      decision: 'approve',
      reason: null,
      actor: STAFF,
      at: new Date(START),
    });
  });

  test('is final: another decision, reason or correction is refused', async () => {
    const id = await addWaiting();
    expect(await review(id, { decision: 'refuse', reason: 'Blurred' })).toEqual({ status: 'failed' });
    for (const more of [
      { decision: 'approve' as const, reason: 'Blurred' },
      { decision: 'refuse' as const, reason: 'Cut off' },
      { decision: 'refuse' as const, reason: 'Blurred', fields: { lastName: 'CITIZEN' } },
    ])
      await expect(review(id, more)).rejects.toMatchObject({
        code: 'already_done',
        message: 'A colleague has already decided about this ID.',
        details: { decision: 'refuse' },
      });
    expect(await readVerification(id)).toMatchObject({
      status: 'failed',
      reasons: ['Blurred'],
      verified: null,
      expires: null,
      last: 'CITIZEM',
    });
    const other = await addWaiting();
    await db.query(`update public.id_verifications set verification_status = 'superseded' where id = $1::uuid`, [
      other,
    ]);
    await expect(review(other)).rejects.toMatchObject({
      code: 'already_done',
      message: 'This ID is no longer pending review.',
    });
    await expect(review(randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'ID check not found' });
  });

  test('that refuses it says why: the words of staff, the usual ones for another photo, and first that somebody is too young', async () => {
    const reasons = async (more: Partial<Review>, read: Read = {}) => {
      const id = await addWaiting(read);
      await review(id, more);
      return ((await readVerification(id)) as { reasons: unknown }).reasons;
    };
    expect(await reasons({ decision: 'refuse' })).toEqual([]);
    expect(await reasons({ decision: 'refuse', reason: 'Blurred' })).toEqual(['Blurred']);
    const young = { born: '2013-03-02' };
    expect(await reasons({ decision: 'refuse', reason: 'Sorry' }, young)).toEqual([UNDER_AGE, 'Sorry']);
    expect(await reasons({ decision: 'refuse' }, { born: '2013-03-01' })).toEqual([]);
    const retake = 'We couldn’t read your ID. Please take a sharp, well-lit photo of the front.';
    expect(await reasons({ decision: 'retake' }, young)).toEqual([retake]);
    expect(await reasons({ decision: 'retake', reason: 'Cut off' })).toEqual(['Cut off']);
  });

  test('cannot approve what the rules forbid, and nothing is stored', async () => {
    for (const read of [{ born: '2013-03-02' }, { expiry: '2031-02-28' }, { first: null, last: null }]) {
      const id = await addWaiting(read);
      await expect(review(id)).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await readVerification(id)).toMatchObject({ status: 'review' });
      expect([await readAudit(db, id), await readMailKinds(id)]).toEqual([[], []]);
    }
  });

  test('stores the age, an ID that is over, names that are missing and a birth date that differs from the profile', async () => {
    const id = await addWaiting({ first: null, last: null, born: '2013-03-02', expiry: '2031-02-28' });
    await review(id, { decision: 'refuse' });
    expect(await readVerification(id)).toMatchObject({
      name: null,
      first: null,
      middle: null,
      last: null,
      adult: false,
      age: 17,
      expired: true,
      bornMatches: false,
      profileBorn: '1998-04-03',
    });
    const other = await addWaiting();
    await review(other, { decision: 'refuse', fields: { dateOfBirth: null, expiryDate: null } });
    expect(await readVerification(other)).toMatchObject({
      born: null,
      expiry: null,
      adult: false,
      age: null,
      expired: false,
      bornMatches: false,
    });
    const today = await addWaiting({ expiry: '2031-03-01' });
    await review(today, { decision: 'refuse' });
    expect(await readVerification(today)).toMatchObject({ expired: false, name: 'Alex CITIZEM' });
  });
});

test('the picture is shown while the ID waits, with an entry in the audit log', async () => {
  const id = await addWaiting();
  expect(Buffer.from(await viewPicture(services, id, STAFF)).toString()).toBe('picture');
  expect(await readAudit(db, id)).toEqual([{ actor: STAFF, action: 'view', details: {} }]);
  await review(id, { decision: 'refuse' });
  const deleted = { code: 'not_found', message: 'The picture has been deleted.' };
  await expect(viewPicture(services, id, STAFF)).rejects.toMatchObject(deleted);
  const lost = await addWaiting();
  await db.query(`update public.id_verifications set image_path = 'review/lost.jpg' where id = $1::uuid`, [lost]);
  await expect(viewPicture(services, lost, STAFF)).rejects.toMatchObject(deleted);
});

test('a withdrawn ID is no longer verified, which is mailed and logged once without the reason', async () => {
  const customer = await addPerson(db);
  const withdraw = (reason = 'Not the same person', userId = customer) =>
    withdrawId(services, { userId, reason }, STAFF);
  await withdraw();
  await withdraw();
  const row = await db.queryRow<{ id: string }>(
    'select id, verification_status as status, failure_reasons as reasons from public.id_verifications where user_id = $1::uuid',
    [customer],
  );
  expect(row).toMatchObject({ status: 'failed', reasons: ['Not the same person'] });
  expect(await readAudit(db, row?.id ?? '')).toEqual([
    {
      actor: STAFF,
      action: 'update',
      details: { decision: 'withdraw', before: { status: 'verified' }, after: { status: 'failed' } },
    },
  ]);
  expect(await readMailKinds(row?.id ?? '')).toEqual(['mail.id-withdrawn']);
  await expect(withdraw('Another reason')).rejects.toMatchObject({
    code: 'already_done',
    message: 'This customer has no verified ID.',
  });
  await expect(withdraw('x', randomUUID())).rejects.toMatchObject({ code: 'not_found', message: 'Customer not found' });
});
