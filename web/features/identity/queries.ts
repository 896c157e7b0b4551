import { useQuery } from '@tanstack/react-query';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';

export type IdResult = {
  readonly verificationId: string;
  readonly decision: 'verified' | 'review' | 'failed';
  /** True when no other photo can change the result: under 18 by the licence. */
  readonly isFinal?: boolean;
  /** Whether the check on the provider's own page is available. */
  readonly hostedCheck?: boolean;
  readonly failureReasons: readonly string[];
  /** The name that was read; null when none was. */
  readonly extractedData: { readonly fullName: string | null };
  readonly nameMatchStatus: 'match' | 'partial' | 'mismatch';
  /** Whether the date of birth is that of the account. */
  readonly dobMatches: boolean;
};
type HostedResult = {
  readonly verified: boolean;
  readonly status: string;
  readonly checkoutUrl: string | null;
  readonly error?: string;
};

/** How often a check in progress is read again without a live connection. */
const POLL_MS = 2_500;

/** What becomes stale when an ID was checked. */
export const idQueries = [queryKeys.idStatus.all, queryKeys.eligibility.all];

export function verifyId(idImage: string): Promise<IdResult> {
  return callFunction('verify-id', { idImage });
}
/** Starts a hosted check and stores its ids in this tab, where /verify-return reads them. Throws `AppError`. */
export async function beginHostedCheck(draft: BookingDraft | null): Promise<Verification> {
  const session = await createHostedCheck(draft);
  if (!session.verificationUrl) throw new Error('No verification URL received');
  const made = { id: session.verificationSessionId, url: session.verificationUrl };
  drafts.saveVerification(made);
  return made;
}
export function createHostedCheck(
  draft: BookingDraft | null,
): Promise<{ verificationSessionId: string; verificationUrl: string }> {
  return callFunction('create-verification-session', { bookingData: draft });
}
/** Queries the result of a hosted check until it is known. */
export function useHostedResult(verificationId: string | null, userId: string | null) {
  const listens = userId !== null && verificationId !== null;
  const live = useLive(listens ? `user:${userId}` : null, queryKeys.hostedCheck.all);
  return useQuery({
    queryKey: queryKeys.hostedCheck.of(verificationId),
    queryFn: () =>
      callFunction<HostedResult>('check-verification-and-checkout', { verificationSessionId: verificationId }),
    enabled: listens,
    retry: 1,
    refetchInterval: (query) => (query.state.data?.status === 'processing' ? pollWhile(live, POLL_MS) : false),
  });
}
