import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PERMISSION_WORDS, PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useSession } from '#web/data/session.tsx';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Skeleton } from '#web/ui/notice.tsx';
import { type FactorRules, readFactorRules } from '#web/data/role.ts';
import { may } from './use-permissions.ts';

/** Queries which permissions need two-step sign-in, and whether this session has made both steps. */
export function useFactorRules() {
  const { session } = useSession();
  useLive('staff', queryKeys.factorRules.all);
  return useQuery({
    queryKey: queryKeys.factorRules.of(session?.access_token ?? null),
    queryFn: readFactorRules,
    staleTime: 60_000,
  });
}

/** The permissions of an account that this session may not use before its second step. The work of owners needs it as soon as anything does. */
export const waitingForStep = (
  { permissions, shown }: FactorRules,
  held: ReadonlySet<Permission>,
): readonly Permission[] =>
  shown || permissions.length === 0
    ? []
    : PERMISSIONS.filter((one) => may(held, one) && (one === 'owner' || permissions.includes(one)));

/**
 * Shows a part of the back office, or how to add the second step that its permission needs. Somebody who has a second factor is asked for it
 * by the site itself. Only a convenience: the server decides.
 */
export function StepGate({ permission, children }: { permission: Permission; children: ReactNode }) {
  const rules = useFactorRules();
  if (rules.isError && !rules.data)
    return <LoadFailed title="This part could not be loaded." onRetry={() => void rules.refetch()} />;
  if (!rules.data) return <Skeleton className="h-96" label="Loading" />;
  const waiting = waitingForStep(rules.data, new Set([permission])).includes(permission);
  return waiting ? <StepMissing permissions={[permission]} /> : children;
}

/** Says which permissions need two-step sign-in, and how to add it. */
export function StepMissing({ permissions }: { permissions: readonly Permission[] }) {
  const navigate = useNavigate();
  if (permissions.length === 0) return null;
  return (
    <div className="mb-6">
      <Notice tone="warn">
        <p className="font-semibold">
          Two-step sign-in is needed for: {permissions.map((one) => PERMISSION_WORDS[one].label).join(', ')}
        </p>
        <p className="mt-1 mb-3 text-sm text-fog">
          Add an authenticator app in your account settings. Until then these parts stay closed, with their alerts.
        </p>
        <Button tone="plain" onClick={() => navigate(`${paths.profile}#second-step`)}>
          Account Settings
        </Button>
      </Notice>
    </div>
  );
}
