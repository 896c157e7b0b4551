import { useQuery } from '@tanstack/react-query';
import type { StaffRight } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { readAssurance } from '#web/lib/second-step.ts';
import { readStaffRights } from './queries.ts';

/**
 * Queries what the signed-in account may do as staff in this session. Only a convenience: the server decides. A new access token does not
 * ask again, but a second step does.
 */
export function useStaffRights() {
  const { user, session } = useSession();
  return useQuery({
    queryKey: queryKeys.staffRights.of(user?.id ?? null, session === null ? null : readAssurance(session.access_token)),
    queryFn: readStaffRights,
    enabled: user !== null,
    // An owner may take a permission away or require the second step meanwhile.
    refetchInterval: 60_000,
  });
}

/** Whether the signed-in account may decide about money; false until that is known. */
export function useMayGive(): boolean {
  const { data } = useStaffRights();
  return data !== undefined && may(data, 'money');
}

/** Whether an account may do something. Owners have every permission. */
export const may = (held: ReadonlySet<StaffRight>, right: StaffRight): boolean =>
  held.has(right) || (right !== 'audit_log' && held.has('owner'));
