import { useQuery } from '@tanstack/react-query';
import { type CallAnswer, type CallBody, callFunction } from '../fetch-client.ts';
import { pollWhile, useLive } from '../live.ts';
import { queryKeys } from '../query-keys.ts';
import { rest } from '../rest.ts';

/** Polling interval without a live connection. A claim ends after a quarter of an hour. */
const POLL_MS = 30_000;

/** A span for which the customer is on the wait list. `claimUntil`: the hours are free and held for the customer until then. */
export type WaitlistEntry = {
  readonly id: string;
  readonly studioId: string;
  readonly studioName: string;
  readonly start: Date;
  readonly end: Date;
  readonly claimUntil: Date | null;
};

async function readWaitlist(): Promise<readonly WaitlistEntry[]> {
  const { data, error } = await rest
    .from('waitlist_entries')
    .select('id,studio_id,start_time,end_time,state,claim_until,user_id,studios(name)')
    .in('state', ['waiting', 'asked'])
    .gt('start_time', new Date().toISOString())
    .order('start_time')
    .limit(20);
  if (error) throw error;
  return data.map((row) => ({
    id: row.id,
    studioId: row.studio_id,
    studioName: row.studios?.name ?? 'Studio',
    start: new Date(row.start_time),
    end: new Date(row.end_time),
    claimUntil: row.state === 'asked' && row.claim_until !== null ? new Date(row.claim_until) : null,
  }));
}

/** Queries the wait-list entries of the customer, and follows them. */
export function useWaitlist(userId: string | null) {
  const live = useLive(userId === null ? null : `user:${userId}`, queryKeys.waitlist.all);
  return useQuery({
    queryKey: queryKeys.waitlist.of(userId),
    queryFn: readWaitlist,
    enabled: userId !== null,
    refetchInterval: pollWhile(live, POLL_MS),
  });
}

/** Puts the customer on the wait list for taken hours. */
export function joinWaitlist(span: CallBody<'join-waitlist'>): Promise<CallAnswer<'join-waitlist'>> {
  return callFunction('join-waitlist', span);
}

/** Takes the customer off the wait list. The hours of a claim go to the next customer. */
export function leaveWaitlist(entryId: string): Promise<CallAnswer<'leave-waitlist'>> {
  return callFunction('leave-waitlist', { entryId });
}
