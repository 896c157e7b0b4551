import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { readIdStanding } from '#web/features/account/queries.ts';
import { verifyLink } from '#web/features/auth/queries.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/lib/session.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const IdDialog = lazy(async () => ({ default: (await import('#web/features/identity/id-dialog.tsx')).IdDialog }));
const BACK = { to: paths.home, label: 'Go to Home' };
const EXPIRED = 'Email verification link may have expired. Please try signing up again.';

/** Reached by the mailed link; the address is confirmed by pressing the button, as mail scanners open links too (decisions T-14). */
export default function EmailVerifiedPage() {
  const [search] = useSearchParams();
  const { status, user } = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [confirmed, setConfirmed] = useState(false);
  const tokenHash = search.get('token_hash');
  const type = search.get('type') === 'email_change' ? 'email_change' : 'signup';

  async function confirm(hash: string): Promise<void> {
    setBusy(true);
    try {
      await verifyLink(hash, type);
      setConfirmed(true);
    } catch (error) {
      const expired = errorCode(error) === 'otp_expired';
      setProblem(expired ? EXPIRED : describeError(error, 'Failed to verify email. Please try again.'));
    } finally {
      setBusy(false);
    }
  }

  if (status === 'loading') return <Waiting label="One moment" />;
  if (confirmed || (tokenHash === null && user?.email_confirmed_at)) {
    return (
      <Shell back={BACK} title="Email Confirmed">
        <Confirmed userId={user?.id ?? null} />
      </Shell>
    );
  }
  if (tokenHash !== null && problem === null) {
    return (
      <Shell back={BACK} title="Confirm your email" lead={<p>One press and your address is confirmed.</p>}>
        <Button busy={busy} onClick={() => void confirm(tokenHash)}>
          Confirm my email
        </Button>
      </Shell>
    );
  }
  return (
    <Shell back={BACK} title="Not confirmed">
      <Notice tone="bad">
        <p>{problem ?? EXPIRED}</p>
      </Notice>
      <div className="mt-6 flex flex-wrap gap-3">
        <Link className={buttonStyle.signal} to={paths.auth}>
          Sign Up Again
        </Link>
        <Link className={buttonStyle.plain} to={paths.home}>
          Go to Home
        </Link>
      </div>
    </Shell>
  );
}

function Confirmed({ userId }: { userId: string | null }) {
  const [idOpen, setIdOpen] = useState(false);
  const standing = useQuery({
    queryKey: ['verification', 'standing', userId],
    queryFn: () => readIdStanding(userId ?? ''),
    enabled: userId !== null,
  });
  const ready = standing.data?.state === 'verified';
  return (
    <>
      <p className="max-w-prose text-fog">
        {ready ? 'Your email and your ID are verified.' : 'Before your first session we check your ID, once.'}
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        {ready || userId === null ? null : <Button onClick={() => setIdOpen(true)}>Verify ID Now</Button>}
        <Link className={ready ? buttonStyle.signal : buttonStyle.plain} to={paths.booking}>
          Continue to Booking
        </Link>
        <Link className={buttonStyle.plain} to={paths.home}>
          Go to Home
        </Link>
      </div>
      {idOpen ? (
        <Suspense>
          <IdDialog
            open
            onClose={() => setIdOpen(false)}
            onVerified={() => {
              setIdOpen(false);
              void standing.refetch();
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}
