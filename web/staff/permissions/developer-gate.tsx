import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { Waiting } from '#web/ui/notice.tsx';
import { readDeveloperPagesOpen } from './queries.ts';

/** Shows a developer page to a signed-in admin while the server has these pages enabled. Others see `otherwise`, the page for unknown addresses. */
export function DeveloperGate({ otherwise, children }: { otherwise: ReactNode; children: ReactNode }) {
  const { status, user } = useSession();
  const open = useQuery({
    queryKey: queryKeys.developerPages.of(user?.id ?? null),
    queryFn: readDeveloperPagesOpen,
    enabled: user !== null,
  });
  if (status === 'loading' || (status === 'in' && open.data === undefined && !open.isError))
    return <Waiting label="Loading" />;
  return status === 'in' && open.data === true ? children : otherwise;
}
