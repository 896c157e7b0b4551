import type { BookingDraft } from '#web/lib/drafts.ts';
import { callFunction, supabase } from '#web/lib/supabase.ts';

export type IdResult = {
  readonly verificationId: string;
  readonly decision: 'verified' | 'review' | 'failed';
  readonly failureReasons: readonly string[];
};
export type HostedResult = {
  readonly verified: boolean;
  readonly status: string;
  readonly checkoutUrl: string | null;
  readonly error?: string;
};

/** The newest verification that is good now; null when there is none. */
export async function readVerification(userId: string): Promise<{ id: string; expires_at: string } | null> {
  const { data, error } = await supabase
    .from('id_verifications')
    .select('id,expires_at')
    .eq('user_id', userId)
    .eq('verification_status', 'verified')
    .gt('expires_at', new Date().toISOString())
    .order('expires_at', { ascending: false })
    .limit(1);
  if (error) throw error;
  return data[0] ?? null;
}

export function verifyId(idImage: string): Promise<IdResult> {
  return callFunction('verify-id', { idImage });
}
export function createHostedCheck(
  draft: BookingDraft | null,
): Promise<{ verificationSessionId: string; verificationUrl: string }> {
  return callFunction('create-verification-session', { bookingData: draft });
}
export function checkHosted(verificationSessionId: string): Promise<HostedResult> {
  return callFunction('check-verification-and-checkout', { verificationSessionId });
}
