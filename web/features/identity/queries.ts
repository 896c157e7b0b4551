import { useQuery } from '@tanstack/react-query';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { type CallAnswer, callFunction } from '#web/data/fetch-client.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';

export type IdResult = CallAnswer<'verify-id'>;

/** Polling interval of a check in progress without a live connection. */
const POLL_MS = 2_500;

/** The queries that become stale when an ID has been checked. */
export const idQueries = [queryKeys.idStatus.all, queryKeys.eligibility.all];

export function verifyId(idImage: string): Promise<IdResult> {
  return callFunction('verify-id', { idImage });
}
/** Starts a hosted check and stores its ids in this tab, where /verify-return reads them. Throws `AppError`. */
export async function beginHostedCheck(draft: BookingDraft | null): Promise<Verification> {
  const session = await createHostedCheck(draft);
  if (!session.verificationUrl) throw new Error('No verification URL received');
  const verification = { id: session.verificationSessionId, url: session.verificationUrl };
  drafts.saveVerification(verification);
  return verification;
}
export function createHostedCheck(draft: BookingDraft | null): Promise<CallAnswer<'create-verification-session'>> {
  return callFunction('create-verification-session', { bookingData: draft });
}
/** Queries the result of a hosted check until it is known. */
export function useHostedResult(verificationId: string | null, userId: string | null) {
  const listens = userId !== null && verificationId !== null;
  const live = useLive(listens ? `user:${userId}` : null, queryKeys.hostedCheck.all);
  return useQuery({
    queryKey: queryKeys.hostedCheck.of(verificationId),
    queryFn: () => callFunction('check-verification-and-checkout', { verificationSessionId: verificationId ?? '' }),
    enabled: listens,
    retry: 1,
    refetchInterval: (query) => (query.state.data?.status === 'processing' ? pollWhile(live, POLL_MS) : false),
  });
}
