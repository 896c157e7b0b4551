import { useQuery } from '@tanstack/react-query';
import { formatStudioDateTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { readFactorRules } from '#web/data/role.ts';
import { useSession } from '#web/data/session.tsx';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** Reminds staff without two-step sign-in of the date by which they need it. */
export function FactorDue() {
  const { session } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.factorRules.of(session?.access_token ?? null),
    queryFn: readFactorRules,
  });
  if (!data?.due) return null;
  return (
    <div className="mb-6">
      <Notice tone="warn">
        <p className="font-semibold">Add two-step sign-in by {formatStudioDateTime(data.due)}, Sydney time</p>
        <p className="mt-1 text-sm">
          Without it, you will see only what customers see after that.{' '}
          <Link to={`${paths.profile}#second-step`} className="underline">
            Add it in your account settings
          </Link>
        </p>
      </Notice>
    </div>
  );
}
