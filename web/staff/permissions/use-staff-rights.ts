import { useQuery } from '@tanstack/react-query';
import type { StaffRight } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { readAssurance } from '#web/lib/second-step.ts';
import { readStaffRights } from './queries.ts';

/**
 * Queries the rights of the signed-in account as staff in this session. This is only a convenience, because the server decides. The rights
 * are not read again for a new access token, but they are after a second step.
 */
export function useStaffRights() {
  const { user, session } = useSession();
  return useQuery({
    queryKey: queryKeys.staffRights.of(user?.id ?? null, session === null ? null : readAssurance(session.access_token)),
    queryFn: readStaffRights,
    enabled: user !== null,
    // Polled because an owner may remove a permission or require the second step in the meantime.
    refetchInterval: 60_000,
  });
}

/** Whether the signed-in account has the permission `money`. False until that is known. */
export function useMayGive(): boolean {
  const { data } = useStaffRights();
  return data !== undefined && may(data, 'money');
}

/** Whether an account has a right. Owners have every permission. */
export const may = (held: ReadonlySet<StaffRight>, right: StaffRight): boolean =>
  held.has(right) || (right !== 'audit_log' && held.has('owner'));
