import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { describeError, errorCode, isRefused } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { nextLook } from './clock.ts';
import { type Access, requestAccess } from './queries.ts';

export const ENDED = 'Your booking session has ended. You can no longer generate new PINs.';
export const FAILED = 'Failed to generate new PIN.';

const getKey = queryKeys.accessCode.of;

/** Queries the access code of a booking. `token` comes from the mailed link. */
export function useAccessCode(bookingId: string, token: string | null, enabled: boolean) {
  const { status, user } = useSession();
  const live = useLive(enabled && user ? `user:${user.id}` : null, queryKeys.accessCode.all);
  return useQuery({
    queryKey: getKey(bookingId, token, user?.id ?? null),
    queryFn: () => requestAccess('GET', bookingId, token),
    enabled: enabled && status !== 'loading',
    retry: (count, error) => count < 2 && errorCode(error) === 'offline',
    refetchInterval: (query) => {
      if (query.state.error && errorCode(query.state.error) !== 'offline') return false;
      return nextLook(query.state.data, live, new Date());
    },
  });
}

/** Makes a new PIN for a booking. The page then shows it. */
export function useNewPin(bookingId: string, token: string | null) {
  const { user } = useSession();
  const client = useQueryClient();
  const queryKey = getKey(bookingId, token, user?.id ?? null);
  return useMutation({
    mutationFn: () => requestAccess('POST', bookingId, token),
    meta: { handled: true },
    onSuccess: (fresh) => {
      client.setQueryData(queryKey, fresh);
      toast({
        title: 'New PIN generated',
        description: fresh.singleUse ? 'Your old PIN no longer opens the door.' : '',
      });
    },
    onError: (error) => {
      const { pin = null } = client.getQueryData<Access>(queryKey) ?? {};
      const kept = pin === null ? '' : ' Your PIN still works.';
      const description = isRefused<'regenerate-pin'>(error, 'session_ended')
        ? ENDED
        : `${describeError(error, FAILED)}${kept}`;
      toast({ title: 'Error', description, tone: 'bad' });
      void client.invalidateQueries({ queryKey });
    },
  });
}
