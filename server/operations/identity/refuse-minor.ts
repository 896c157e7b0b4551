import { adultFrom, describeMinor, UNDER_AGE } from '#rules/identity.ts';
import { studioDate } from '#rules/studio-time.ts';
import { Refusal } from '../core/refusal.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import type { Services } from '../core/services.ts';
import type { Queryable } from '#server/db/database.ts';

/**
 * Throws `Refusal('age_required')` for a customer whose licence showed an age under 18, until their 18th birthday. The refusal is final
 * because another photo or check could show another person's licence.
 */
export async function refuseMinor({ db, clock }: Services, userId: string): Promise<void> {
  const row = await db.queryRow<{ born: string }>(
    `select v.extracted_dob as born from public.id_verifications v
     where v.user_id = $1::uuid and v.verification_status = 'failed' and v.extracted_dob is not null and $2 = any(v.failure_reasons)
     order by v.created_at desc limit 1`,
    [userId, UNDER_AGE],
  );
  if (!row) return;
  const adult = adultFrom(row.born);
  if (adult <= studioDate(clock())) return;
  throw new Refusal('age_required', describeMinor(adult, (await readBookingRules(db)).email));
}

/** Returns the reasons of a decision as shown to the customer. For an age under 18, only the final answer is given. */
export async function explainDecision(
  db: Queryable,
  reasons: readonly string[],
  born: string | null,
): Promise<readonly string[]> {
  if (born === null || !reasons.includes(UNDER_AGE)) return reasons;
  return [describeMinor(adultFrom(born), (await readBookingRules(db)).email)];
}
