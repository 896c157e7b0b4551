import { randomUUID } from 'node:crypto';
import { type judgeLicence, verificationExpiry } from '#rules/identity.ts';
import { studioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import type { LicenceReading } from '#server/providers/ports.ts';
import { enqueue } from '../core/jobs.ts';
import { splitNames } from './licence-names.ts';
import { lockUnchangedProfile, type Profile } from './profile.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** The data stored with a decision. */
export type Decision = {
  readonly source: 'photo' | 'hosted';
  readonly reading: LicenceReading;
  readonly judgement: ReturnType<typeof judgeLicence>;
  /** The profile that the reading was compared with. */
  readonly profile: Profile;
  /** The storage key of a photo kept for review. */
  readonly imageKey: string | null;
  /** The hosted check that produced the decision. */
  readonly sessionId: string | null;
};

/**
 * Stores a decision and returns its id, or null if the name or birth date has changed in the meantime. The profile stays locked until the
 * decision is stored, so that a later change withdraws the verification. The decision of a hosted check is stored once.
 */
export async function storeDecision(
  { db, clock }: Services,
  userId: string,
  decision: Decision,
): Promise<string | null> {
  const { source, judgement, imageKey, sessionId } = decision;
  const now = clock();
  const id = randomUUID();
  return db.transaction(async (tx) => {
    if (!(await lockUnchangedProfile(tx, userId, decision.profile))) return null;
    // Another request has already stored the decision of this hosted check.
    if (sessionId !== null && !(await lockOpenSession(tx, sessionId))) return id;
    await insertVerification(tx, { id, userId, now }, decision);
    // A final decision also ends reviews of earlier photos.
    if (judgement.isFinal)
      await tx.query(
        `update public.id_verifications set verification_status = 'superseded' where user_id = $1::uuid and verification_status = 'review'`,
        [userId],
      );
    if (imageKey !== null) {
      await enqueue(tx, {
        kind: 'image.delete',
        subjectId: id,
        payload: { key: imageKey },
        dueAt: new Date(now.getTime() + constants.idReviewDays * 86_400_000),
      });
    }
    if (sessionId !== null)
      await tx.query(
        `update private.identity_session set status = 'decided', verification_id = $2::uuid where id = $1`,
        [sessionId, id],
      );
    await recordAudit(tx, {
      actor: userId,
      action: 'create',
      resource: 'id_verification',
      id,
      details: { source, decision: judgement.decision },
    });
    return id;
  });
}

/** Locks a hosted check until the transaction ends. Returns false if it has already been decided. */
async function lockOpenSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const open = await tx.queryRow(
    `select 1 from private.identity_session where id = $1 and status = 'open' for update`,
    [sessionId],
  );
  return open !== null;
}

async function insertVerification(
  tx: Transaction,
  { id, userId, now }: { id: string; userId: string; now: Date },
  { source, reading, judgement, profile, imageKey }: Decision,
): Promise<void> {
  const verified = judgement.decision === 'verified';
  const { fullName, firstName, middleName, lastName } = splitNames(reading);
  await tx.query(
    `insert into public.id_verifications (id, user_id, source, image_path, verification_status, failure_reasons, verified_at, expires_at, created_at,
       extracted_full_name, extracted_first_name, extracted_middle_name, extracted_last_name, extracted_dob, extracted_expiry_date,
       is_over_18, age_at_verification, is_expired, is_nsw_license, name_match_status, name_match_details, profile_dob, dob_matches, ai_confidence_score)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6::text[], $7::timestamptz, $8::timestamptz, $9::timestamptz,
       $10, $11, $12, $13, $14::date, $15::date, $16::boolean, $17::int, $18::boolean, $19::boolean, $20, $21, $22::date, $23::boolean, $24::numeric)`,
    [
      id,
      userId,
      source,
      imageKey,
      judgement.decision,
      judgement.reasons,
      verified ? now : null,
      verified ? verificationExpiry(reading.expiry.iso, studioDate(now)) : null,
      now,
      fullName,
      firstName,
      middleName,
      lastName,
      reading.dateOfBirth.iso,
      reading.expiry.iso,
      judgement.isOver18,
      judgement.age,
      judgement.isExpired,
      judgement.isNsw,
      judgement.nameMatch.status,
      judgement.nameMatch.details,
      profile.dateOfBirth,
      judgement.dobMatches,
      Math.min(1, Math.max(0, reading.confidence / 100)),
    ],
  );
}
