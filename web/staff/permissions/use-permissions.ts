import { useQuery } from '@tanstack/react-query';
import type { Permission } from '#rules/permissions.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { readPermissions } from './queries.ts';

/** Queries what the signed-in account of staff may do. Only a convenience: the server decides. */
export function usePermissions() {
  const { user } = useSession();
  return useQuery({
    queryKey: queryKeys.permissions.of(user?.id ?? null),
    queryFn: () => readPermissions(user?.id ?? ''),
    enabled: user !== null,
    staleTime: 60_000,
  });
}

/** Whether the signed-in account may decide about money; false until that is known. */
export function useMayGive(): boolean {
  const { data } = usePermissions();
  return data !== undefined && may(data, 'money');
}

/** Whether an account may do something; an owner may do everything. */
export const may = (held: ReadonlySet<Permission>, wanted: Permission): boolean =>
  held.has(wanted) || held.has('owner');
