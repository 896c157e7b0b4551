import { useMutation, useQuery } from '@tanstack/react-query';
import { type DoorStep, doorStep } from '#rules/doors.ts';
import { describeError } from '#web/lib/errors.ts';
import { type CallAnswer, callFunction } from '../fetch-client.ts';
import { queryKeys } from '../query-keys.ts';

const POLL_MS = 10_000;

/** What the lock reports about the door of a booking, and whether staff have been notified that it does not open. */
export type DoorHelpAnswer = CallAnswer<'door-help'>;

/**
 * Help at a door that does not open, for a customer or for a guest with the token of an invitation. `status`: what the lock reports in the
 * words of `says`, or why it is unknown; null until it has answered.
 */
export function useDoorHelp<Status>(
  request: { readonly bookingId: string; readonly token: string | null } | { readonly crew: string },
  worksFrom: Date,
  now: Date,
  says: Readonly<Record<DoorStep, (answer: DoorHelpAnswer) => Status>>,
) {
  const help = useQuery({
    queryKey: queryKeys.doorHelp.of('crew' in request ? request.crew : request.bookingId),
    queryFn: () => callFunction('door-help', request),
    refetchInterval: POLL_MS,
  });
  const ask = useMutation({
    mutationFn: () => callFunction('door-help', { ...request, ask: true }),
    meta: { handled: true, invalidates: [queryKeys.doorHelp.all] },
  });
  return {
    status: help.isError
      ? describeError(help.error, 'We couldn’t reach the lock.')
      : help.data === undefined
        ? null
        : says[doorStep(help.data, worksFrom, now)](help.data),
    /** Asks staff for help. */
    ask: () => ask.mutate(),
    busy: ask.isPending,
    staffAsked: help.data?.asked === true || ask.isSuccess,
    /** Why staff could not be told; null if nothing failed. */
    problem: ask.isError ? describeError(ask.error, 'Your message didn’t reach us. Please call us.') : null,
  };
}
