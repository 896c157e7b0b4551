import { adultFrom, UNDER_AGE } from '#rules/identity.ts';
import { formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { Refusal } from '../core/refusal.ts';
import { readBookingRules } from '../settings/booking-rules.ts';
import type { IdentityContext } from './context.ts';

/**
 * Throws `Refusal('age_required')` for a customer whose licence said under 18, until that birthday. It is final, because another photo
 * or check could be of somebody else's licence.
 */
export async function refuseMinor({ db, clock }: Pick<IdentityContext, 'db' | 'clock'>, userId: string): Promise<void> {
  const row = await db.one<{ born: string }>(
    `select v.extracted_dob as born from public.id_verifications v
     where v.user_id = $1::uuid and v.verification_status = 'failed' and v.extracted_dob is not null and $2 = any(v.failure_reasons)
     order by v.created_at desc limit 1`,
    [userId, UNDER_AGE],
  );
  if (!row) return;
  const adult = adultFrom(row.born);
  if (adult <= studioDate(clock())) return;
  throw new Refusal(
    'age_required',
    `Your licence says you turn 18 on ${formatStudioDate(adult)}. You can book from that day. If we read it wrong, please email ${(await readBookingRules(db)).email}.`,
  );
}
