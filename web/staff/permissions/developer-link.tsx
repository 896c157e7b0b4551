import { useQuery } from '@tanstack/react-query';
import { developerPaths } from '#web/lib/paths.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { Link } from '#web/router/router.tsx';
import { readDeveloperPagesOpen } from './queries.ts';

/** Links to the developer pages if the server has them enabled. */
export function DeveloperLink() {
  const { user } = useSession();
  const open = useQuery({ queryKey: queryKeys.developerPages.of(user?.id ?? null), queryFn: readDeveloperPagesOpen });
  return open.data === true ? (
    <Link
      to={developerPaths[0].path}
      className="inline-flex min-h-11 items-center text-fog underline decoration-edge underline-offset-4 hover:text-chalk"
    >
      Developer pages
    </Link>
  ) : null;
}
