import { useQuery } from '@tanstack/react-query';
import { adultFrom, UNDER_AGE } from '#rules/identity.ts';
import { studioDate, type StudioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
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

/** How often a check in progress, and the state of an account's check, are read again without a live connection. */
const POLL_MS = 2_500;
const STATUS_POLL_MS = 60_000;

/**
 * State of an account's ID check: until when it is verified, by when staff decide on the newest photo in review, and for somebody whose licence says
 * under 18 from when they can book; null where not.
 */
export type IdStatus = {
  readonly verifiedUntil: Date | null;
  readonly decidedBy: Date | null;
  readonly adultOn: StudioDate | null;
  /** The names on the verified ID. */
  readonly names: { readonly given: string | null; readonly family: string | null } | null;
};

/** Reads the state of an account's ID check. */
async function readIdStatus(userId: string): Promise<IdStatus> {
  const { data, error } = await rest
    .from('id_verifications')
    .select(
      'verification_status,expires_at,created_at,failure_reasons,extracted_dob,extracted_first_name,extracted_middle_name,extracted_last_name',
    )
    .eq('user_id', userId)
    .in('verification_status', ['verified', 'review', 'failed'])
    .order('created_at', { ascending: false })
    .limit(100);
  if (error) throw error;
  const valid = data
    .flatMap((one) =>
      one.verification_status === 'verified' && one.expires_at ? [{ ...one, until: Date.parse(one.expires_at) }] : [],
    )
    .filter(({ until }) => until > Date.now())
    .toSorted((one, other) => other.until - one.until);
  const best = valid[0];
  const minor = data.find((one) => one.verification_status === 'failed' && one.failure_reasons.includes(UNDER_AGE));
  const adultOn = minor?.extracted_dob ? adultFrom(minor.extracted_dob) : null;
  const review = data.find((one) => one.verification_status === 'review');
  return {
    verifiedUntil: best === undefined ? null : new Date(best.until),
    decidedBy:
      review === undefined ? null : new Date(Date.parse(review.created_at) + settings.idReviewDays * 86_400_000),
    names:
      best === undefined
        ? null
        : {
            given: [best.extracted_first_name, best.extracted_middle_name].filter(Boolean).join(' ') || null,
            family: best.extracted_last_name,
          },
    adultOn: adultOn !== null && adultOn > studioDate(new Date()) ? adultOn : null,
  };
}

/** Queries the state of an account's ID check, and follows it: staff may decide, or another device may finish it. */
export function useIdStatus(userId: string | null, wanted = true) {
  const live = useLive(wanted && userId !== null ? `user:${userId}` : null, queryKeys.idStatus.all);
  return useQuery({
    queryKey: queryKeys.idStatus.of(userId),
    queryFn: () => readIdStatus(userId ?? ''),
    enabled: wanted && userId !== null,
    refetchInterval: pollWhile(live, STATUS_POLL_MS),
  });
}
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
