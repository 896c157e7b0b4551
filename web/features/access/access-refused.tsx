import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { describeError, findRefusal, type RefusalActions } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { ENDED, FAILED } from './use-access-code.ts';

const BACK = { to: paths.home, label: 'Home' };

/** Refusals for which the page does more than show the message: the session has ended, or another account or the mailed link is needed. */
const ACTIONS: RefusalActions<'regenerate-pin', 'ended' | 'other access'> = {
  session_ended: 'ended',
  not_yours: 'other access',
  not_found: 'other access',
  not_signed_in: null,
  not_confirmed: null,
  code_held: null,
  code_not_released: null,
  code_wait: null,
  code_limit: null,
  invalid_request: null,
  too_many_requests: null,
  provider_unavailable: null,
};

/** Shows why the access code is not available. */
export function AccessRefused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { status } = useSession();
  const { open } = useAuthDialog();
  const action = findRefusal(error, ACTIONS);
  if (action === 'ended') {
    return (
      <Shell back={BACK} title="Session Ended">
        <Notice tone="plain">
          <p>{ENDED}</p>
        </Notice>
        <div className="mt-6 flex flex-wrap gap-3">
          <Button disabled>Session Ended</Button>
          <Link to={paths.booking} className={buttonStyle.plain}>
            Book Another Session
          </Link>
        </div>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title="Access code">
      <Notice tone="bad">
        <p>{describeError(error, FAILED)}</p>
        {action === 'other access' ? (
          <p className="mt-2 text-sm text-fog">
            Please use the link from your access code email, or sign in with the account that booked.
          </p>
        ) : null}
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        {status === 'out' ? <Button onClick={() => open('sign-in')}>Sign In</Button> : null}
        <Button tone="plain" onClick={onRetry}>
          Try again
        </Button>
      </div>
    </Shell>
  );
}
