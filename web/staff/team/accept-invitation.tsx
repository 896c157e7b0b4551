import { useMutation } from '@tanstack/react-query';
import { queryKeys } from '#web/data/query-keys.ts';
import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { Failure } from '#web/lib/business/failure.tsx';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { acceptInvitation } from './queries.ts';

/** Accepts the invitation of the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export function AcceptInvitation({ token }: { token: string }) {
  const { status, user, signOut } = useSession();
  const { open } = useAuthDialog();
  const navigate = useNavigate();
  const accept = useMutation({
    mutationFn: () => acceptInvitation(token),
    meta: { handled: true, invalidates: [queryKeys.role.all, queryKeys.staffRights.all] },
    onSuccess: () => navigate(paths.admin, { replace: true }),
  });
  if (token === '')
    return <Notice tone="bad">This link is incomplete. Open it from our email, or ask for another invitation.</Notice>;
  if (status === 'loading') return <Waiting label="Loading" />;
  if (status === 'out')
    return (
      <div className="space-y-5">
        <p className="text-fog">Sign in or sign up with the email address that received the invitation.</p>
        <div className="flex flex-wrap gap-3">
          <Button onClick={() => open('sign-in')}>Sign In</Button>
          <Button tone="plain" onClick={() => open('sign-up')}>
            Sign Up
          </Button>
        </div>
      </div>
    );
  return (
    <div className="space-y-5">
      <p className="break-words text-fog">You’re signed in as {user?.email}.</p>
      <Failure action={accept} text="The invitation was not accepted. Check your connection." />
      <Confirm action={accept} tone="signal" keep="Use another account" onKeep={() => void signOut()}>
        Accept invitation
      </Confirm>
    </div>
  );
}
