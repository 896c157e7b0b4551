import { useAuthDialog, useSession } from '#web/data/session.tsx';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { Link } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { ENDED, FAILED } from './use-access-code.ts';

const BACK = { to: paths.home, label: 'Home' };

/** Says why the access code is not shown. */
export function AccessRefused({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { status } = useSession();
  const { open } = useAuthDialog();
  const code = errorCode(error);
  if (code === 'session_ended') {
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
        {code === 'not_yours' || code === 'not_found' ? (
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
