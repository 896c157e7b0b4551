import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { callFunction, supabase } from '#web/data/client.ts';

export type IdResult = {
  readonly verificationId: string;
  readonly decision: 'verified' | 'review' | 'failed';
  /** True when no other photo can change the result: under 18 by the licence. */
  readonly isFinal?: boolean;
  readonly failureReasons: readonly string[];
};
export type HostedResult = {
  readonly verified: boolean;
  readonly status: string;
  readonly checkoutUrl: string | null;
  readonly error?: string;
};

/** Days after which a photo is deleted at the latest, so staff decide by then. */
export const REVIEW_DAYS = 7;

/** Reads the date by which staff decide on the newest photo in review; null when none is. */
export async function readReview(userId: string): Promise<{ decidedBy: Date } | null> {
  const { data, error } = await supabase
    .from('id_verifications')
    .select('created_at')
    .eq('user_id', userId)
    .eq('verification_status', 'review')
    .order('created_at', { ascending: false })
    .limit(1);
  if (error) throw error;
  const since = data[0]?.created_at;
  return since === undefined ? null : { decidedBy: new Date(Date.parse(since) + REVIEW_DAYS * 86_400_000) };
}

export function verifyId(idImage: string): Promise<IdResult> {
  return callFunction('verify-id', { idImage });
}
/** Starts a hosted check and stores its ids in this tab, where /verify-return reads them. Throws `AppError`. */
export async function beginHostedCheck(draft: BookingDraft | null): Promise<Verification> {
  const session = await createHostedCheck(draft);
  if (!session.verificationUrl) throw new Error('No verification URL received');
  const made = { id: session.verificationSessionId, url: session.verificationUrl };
  drafts.keepVerification(made);
  return made;
}
export function createHostedCheck(
  draft: BookingDraft | null,
): Promise<{ verificationSessionId: string; verificationUrl: string }> {
  return callFunction('create-verification-session', { bookingData: draft });
}
export function checkHosted(verificationSessionId: string): Promise<HostedResult> {
  return callFunction('check-verification-and-checkout', { verificationSessionId });
}
