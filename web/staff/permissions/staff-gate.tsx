import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import type { StaffRight } from '#rules/permissions.ts';
import { paths } from '#web/lib/paths.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { readRole } from '#web/data/role.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { useStaffRights } from './use-staff-rights.ts';

const BACK = { to: paths.home, label: 'Home' };
const SIGN_IN = 'Authentication Required: Please sign in to access the admin panel';
const DENIED =
  "Access Denied: You don't have permission to access this admin area. Only administrators can view this page.";

/**
 * Shows its children only to staff, with their rights. Others see the reason. This is only a convenience, because the server decides what
 * can be read.
 */
export function StaffGate({
  title,
  children,
}: {
  title: string;
  children: (held: ReadonlySet<StaffRight>) => ReactNode;
}) {
  const { status, user } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const role = useQuery({
    queryKey: queryKeys.role.of(user?.id ?? null),
    queryFn: () => readRole(user?.id ?? ''),
    enabled: user !== null,
  });
  // The rights are read in parallel with the role, so that the tabs do not have to wait for them.
  const rights = useStaffRights();
  useEffect(() => {
    if (status === 'out') open('sign-in');
  }, [status, open]);

  if (status === 'loading' || (status === 'in' && role.data === undefined))
    return <Waiting label="Checking permissions..." />;
  if (status === 'out')
    return (
      <Shell back={BACK} title={title}>
        <Notice tone="warn">
          <p>{SIGN_IN}</p>
        </Notice>
        <Button className="mt-6" onClick={() => open('sign-in')}>
          Sign In
        </Button>
      </Shell>
    );
  if (role.data !== 'admin')
    return (
      <Shell back={BACK} title={title}>
        <Notice tone="bad">
          <p>{DENIED}</p>
        </Notice>
        <Button tone="plain" className="mt-6" onClick={() => navigate(paths.home)}>
          Return to Home
        </Button>
      </Shell>
    );
  if (rights.data === undefined)
    return rights.isError ? (
      <Shell back={BACK} title={title}>
        <LoadFailed title="Your permissions could not be loaded." onRetry={() => void rights.refetch()} />
      </Shell>
    ) : (
      <Waiting label="Checking permissions..." />
    );
  if (rights.data.size === 0)
    return (
      <Shell back={BACK} title={title}>
        <Notice tone="warn">
          <p className="font-semibold">Two-step sign-in required</p>
          <p className="mt-1 text-sm text-fog">
            Sign in with your second step, or add an authenticator app in your account settings. Until then, you see
            only what customers see.
          </p>
        </Notice>
        <Button className="mt-6" onClick={() => navigate(`${paths.profile}#second-step`)}>
          Account Settings
        </Button>
      </Shell>
    );
  return children(rights.data);
}
