import { useQuery } from '@tanstack/react-query';
import { adultFrom, type IdNames, UNDER_AGE } from '#rules/identity.ts';
import { studioDate, type StudioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { rest } from '#web/data/rest.ts';

/** Polling interval without a live connection. */
const POLL_MS = 60_000;

/**
 * The state of an account's ID check. `verifiedUntil`: when the verification ends. `decidedBy`: by when staff decide about the newest photo
 * in review. `adultOn`: for a customer whose licence shows an age under 18, the day from which they can book. Each is null if it does not
 * apply.
 */
export type IdStatus = {
  readonly verifiedUntil: Date | null;
  readonly decidedBy: Date | null;
  readonly adultOn: StudioDate | null;
  /** The names on the verified ID. */
  readonly names: IdNames | null;
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
    .flatMap((check) =>
      check.verification_status === 'verified' && check.expires_at
        ? [{ ...check, until: Date.parse(check.expires_at) }]
        : [],
    )
    .filter(({ until }) => until > Date.now())
    .toSorted((check, other) => other.until - check.until);
  const best = valid[0];
  const minor = data.find(
    ({ verification_status, failure_reasons }) =>
      verification_status === 'failed' && failure_reasons.includes(UNDER_AGE),
  );
  const adultOn = minor?.extracted_dob ? adultFrom(minor.extracted_dob) : null;
  const review = data.find(({ verification_status }) => verification_status === 'review');
  return {
    verifiedUntil: best === undefined ? null : new Date(best.until),
    decidedBy:
      review === undefined ? null : new Date(Date.parse(review.created_at) + constants.idReviewDays * 86_400_000),
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

/** Queries the state of an account's ID check, and follows it because staff or another device can complete the check. */
export function useIdStatus(userId: string | null, enabled = true) {
  const live = useLive(enabled && userId !== null ? `user:${userId}` : null, queryKeys.idStatus.all);
  return useQuery({
    queryKey: queryKeys.idStatus.of(userId),
    queryFn: () => readIdStatus(userId ?? ''),
    enabled: enabled && userId !== null,
    refetchInterval: pollWhile(live, POLL_MS),
  });
}
