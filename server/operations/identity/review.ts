import { approvalProblem, matchNames, type ReviewedId, UNDER_AGE, verificationExpiry } from '#rules/identity.ts';
import { ageOn, MINIMUM_AGE } from '#rules/people.ts';
import { type StudioDate, studioDate } from '#rules/studio-time.ts';
import type { Transaction } from '#server/db/database.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import { splitNames } from './licence-names.ts';
import { lockProfile, type Profile } from './profile.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** The extracted fields that staff correct. Omitted fields stay unchanged. */
type CorrectedFields = {
  readonly firstName?: string | null | undefined;
  readonly middleName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly dateOfBirth?: StudioDate | null | undefined;
  readonly expiryDate?: StudioDate | null | undefined;
};
export type Review = {
  readonly verificationId: string;
  readonly decision: 'approve' | 'refuse' | 'retake';
  /** Mailed to the customer; null for the standard text. */
  readonly reason: string | null;
  readonly fields: CorrectedFields;
};

type Status = 'verified' | 'failed';
type Waiting = {
  readonly status: string;
  readonly source: 'photo' | 'hosted' | 'staff';
  readonly firstName: string | null;
  readonly middleName: string | null;
  readonly lastName: string | null;
  readonly dateOfBirth: StudioDate | null;
  readonly expiryDate: StudioDate | null;
};

const RETAKE_REASON = 'We couldn’t read your ID. Please take a sharp, well-lit photo of the front.';

/**
 * Decides about an ID that waits for review and queues the customer's mail. Afterwards the picture can be deleted. Idempotent. Throws
 * `Refusal`: `not_found`, `already_done` if another decision was made, `invalid_request` if the rules forbid the decision.
 */
export async function reviewId({ db, clock }: Services, review: Review, actor: string): Promise<{ status: Status }> {
  const { verificationId: id, decision } = review;
  const now = clock();
  return db.transaction(async (tx) => {
    const owner = await tx.queryRow<{ user: string }>(
      'select user_id as "user" from public.id_verifications where id = $1::uuid',
      [id],
    );
    // Lock the profile first, in the same order as where the reader's decisions are stored and where a change of name withdraws them.
    const profile = owner && (await lockProfile(tx, owner.user));
    const waiting = profile && (await lockVerification(tx, id));
    if (!profile || !waiting) throw new Refusal('not_found', 'ID check not found');
    const corrected = correct(waiting, review.fields);
    if (await isDecided(tx, review, waiting)) return { status: toStatus(decision) };
    if (waiting.status !== 'review') throw new Refusal('already_done', 'This ID is no longer pending review.');
    if (decision === 'approve') requireApprovable(corrected, now);
    await storeReview(tx, review, { corrected, profile, now });
    await tx.query(
      `insert into private.id_review (verification_id, decision, reason, decided_by, decided_at)
       values ($1::uuid, $2, $3, $4::uuid, $5::timestamptz)`,
      [id, decision, review.reason, actor, now],
    );
    await enqueue(tx, { kind: 'mail.id-decision', subjectId: id, dueAt: now });
    // Log which fields were corrected, but not the names and dates themselves.
    await recordAudit(tx, {
      actor,
      action: 'update',
      resource: 'id_verification',
      id,
      details: {
        decision,
        before: { status: 'review' },
        after: { status: toStatus(decision) },
        corrected: changedFields(review.fields, waiting),
      },
    });
    return { status: toStatus(decision) };
  });
}

const toStatus = (decision: Review['decision']): Status => (decision === 'approve' ? 'verified' : 'failed');

function lockVerification(tx: Transaction, id: string): Promise<Waiting | null> {
  return tx.queryRow<Waiting>(
    `select verification_status as status, source, extracted_first_name as "firstName", extracted_middle_name as "middleName",
       extracted_last_name as "lastName", extracted_dob as "dateOfBirth", extracted_expiry_date as "expiryDate"
     from public.id_verifications where id = $1::uuid for update`,
    [id],
  );
}

/** Returns whether the same decision was already made. Throws `Refusal('already_done')` if another one was. */
async function isDecided(tx: Transaction, review: Review, stored: Waiting): Promise<boolean> {
  const previous = await tx.queryRow<{ decision: string; reason: string | null }>(
    'select decision, reason from private.id_review where verification_id = $1::uuid',
    [review.verificationId],
  );
  if (previous === null) return false;
  const isSame =
    previous.decision === review.decision &&
    previous.reason === review.reason &&
    changedFields(review.fields, stored).length === 0;
  if (isSame) return true;
  throw new Refusal('already_done', 'A colleague has already decided about this ID.', { decision: previous.decision });
}

function correct(waiting: Waiting, fields: CorrectedFields): Waiting {
  const given = FIELDS.flatMap((field) => (fields[field] === undefined ? [] : [[field, fields[field]] as const]));
  return { ...waiting, ...Object.fromEntries(given) };
}

const FIELDS = ['firstName', 'middleName', 'lastName', 'dateOfBirth', 'expiryDate'] as const;

const changedFields = (fields: CorrectedFields, stored: Waiting): string[] =>
  FIELDS.filter((field) => fields[field] !== undefined && fields[field] !== stored[field]);

function givenNames({ firstName, middleName }: Pick<Waiting, 'firstName' | 'middleName'>): string | null {
  return [firstName, middleName].filter(Boolean).join(' ') || null;
}

const asReviewed = (id: Waiting): ReviewedId => ({
  givenNames: givenNames(id),
  familyName: id.lastName,
  dateOfBirth: id.dateOfBirth,
  expiryDate: id.expiryDate,
});

function requireApprovable(corrected: Waiting, now: Date): void {
  const source = corrected.source === 'hosted' ? 'hosted' : 'photo';
  const problem = approvalProblem(asReviewed(corrected), studioDate(now), source);
  if (problem !== null) throw new Refusal('invalid_request', problem);
}

/** Returns the sentences for the customer. An age under 18 is always mentioned, because the refusal is final until the birthday. */
function getReasons({ decision, reason }: Review, isMinor: boolean): string[] {
  if (decision === 'approve') return [];
  if (decision === 'retake') return [reason ?? RETAKE_REASON];
  return [...(isMinor ? [UNDER_AGE] : []), ...(reason === null ? [] : [reason])];
}

async function storeReview(
  tx: Transaction,
  review: Review,
  { corrected, profile, now }: { readonly corrected: Waiting; readonly profile: Profile; readonly now: Date },
): Promise<void> {
  const today = studioDate(now);
  const { dateOfBirth: born, expiryDate: expires } = corrected;
  const { givenNames: given, familyName: family } = asReviewed(corrected);
  const { fullName, firstName, middleName, lastName } = splitNames({ givenNames: given, familyName: family });
  const nameMatch = matchNames({ given, family }, profile.fullName);
  const age = born === null ? null : ageOn(born, today);
  const isMinor = age !== null && age < MINIMUM_AGE;
  const isVerified = review.decision === 'approve';
  await tx.query(
    `update public.id_verifications set verification_status = $2, failure_reasons = $3::text[], verified_at = $4::timestamptz,
       expires_at = $5::timestamptz, extracted_full_name = $6, extracted_first_name = $7, extracted_middle_name = $8, extracted_last_name = $9,
       extracted_dob = $10::date, extracted_expiry_date = $11::date, is_over_18 = $12::boolean, age_at_verification = $13::int,
       is_expired = $14::boolean, name_match_status = $15, name_match_details = $16, profile_dob = $17::date, dob_matches = $18::boolean
     where id = $1::uuid`,
    [
      review.verificationId,
      toStatus(review.decision),
      getReasons(review, isMinor),
      isVerified ? now : null,
      isVerified ? verificationExpiry(expires, today) : null,
      fullName,
      firstName,
      middleName,
      lastName,
      born,
      expires,
      age !== null && !isMinor,
      age,
      expires !== null && expires < today,
      nameMatch.status,
      nameMatch.details,
      profile.dateOfBirth,
      born !== null && born === profile.dateOfBirth,
    ],
  );
}
