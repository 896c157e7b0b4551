import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useEffectEvent, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { readIdStatus } from '#web/features/account/queries.ts';
import { verifyLink } from '#web/features/auth/queries.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { paths } from '#web/lib/paths.ts';
import { useSession } from '#web/data/session.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { DialogBoundary } from '#web/ui/crash-screen.tsx';
import { Notice, Skeleton, Waiting } from '#web/ui/notice.tsx';
import { lazyPart } from '#web/ui/load-part.ts';
import { Shell } from '#web/ui/shell.tsx';
import { toast } from '#web/ui/toast.tsx';

const IdDialog = lazyPart(async () => ({ default: (await import('#web/features/identity/id-dialog.tsx')).IdDialog }));
const BACK = { to: paths.home, label: 'Home' };
const EXPIRED = 'Email verification link may have expired. Please try signing up again.';
/** Delay before the session is checked, delay before the ID dialog opens, and duration of the message. */
const CHECK_MS = 1_000;
const ID_MS = 2_000;
const TOAST_MS = 8_000;

const CONFIRM = {
  title: 'Confirm your email',
  lead: 'Press the button to confirm your email.',
  button: 'Confirm my email',
} as const;
/** Texts by the purpose of the link. */
const ASKS = {
  signup: CONFIRM,
  email_change: CONFIRM,
  magiclink: { title: 'Sign in', lead: 'Press the button to sign in.', button: 'Sign me in' },
} as const;
function readKind(type: string | null): keyof typeof ASKS {
  return type === 'email_change' || type === 'magiclink' ? type : 'signup';
}

/** Confirms an address from the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export default function EmailVerifiedPage() {
  const [search, setSearch] = useSearchParams();
  const { status, user } = useSession();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [confirmed, setConfirmed] = useState(false);
  const tokenHash = search.get('token_hash');
  const type = readKind(search.get('type'));
  const [otherAddressPending, setOtherAddressPending] = useState(false);
  const navigate = useNavigate();
  const asking = tokenHash !== null && !confirmed && !otherAddressPending && problem === null;
  const waited = useWaited(!asking, CHECK_MS);

  async function confirm(hash: string): Promise<void> {
    setBusy(true);
    try {
      const done = await verifyLink(hash, type);
      if (type === 'magiclink') return void navigate(paths.profile, { replace: true });
      setOtherAddressPending(!done);
      setConfirmed(done);
      // The token is used up: drop it from the address, so that a reload shows the current state.
      if (done) setSearch({}, { replace: true });
    } catch (error) {
      const expired = errorCode(error) === 'otp_expired';
      setProblem(expired ? EXPIRED : describeError(error, 'Failed to verify email. Please try again.'));
    } finally {
      setBusy(false);
    }
  }

  if (asking) {
    return (
      <Shell back={BACK} title={ASKS[type].title} lead={<p>{ASKS[type].lead}</p>}>
        <Button busy={busy} onClick={() => void confirm(tokenHash)}>
          {ASKS[type].button}
        </Button>
      </Shell>
    );
  }
  if (otherAddressPending) {
    return (
      <Shell back={BACK} title="One more step">
        <Notice tone="good">
          <p>Thanks. Now open the email we sent to your other address and press the button in it.</p>
        </Notice>
      </Shell>
    );
  }
  if (status === 'loading' || (!waited && problem === null)) return <Waiting label="Verifying your email" />;
  if (confirmed || (problem === null && user?.email_confirmed_at)) {
    return (
      <Shell back={BACK} title="Email Confirmed">
        <Confirmed userId={user?.id ?? null} />
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

/** Whether `since` has been true for `ms`. */
function useWaited(since: boolean, ms: number): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    if (!since) return;
    const timer = setTimeout(() => setOver(true), ms);
    return () => clearTimeout(timer);
  }, [since, ms]);
  return since && over;
}

function Confirmed({ userId }: { userId: string | null }) {
  const [dialog, setDialog] = useState<'not yet' | 'open' | 'closed'>('not yet');
  const eligibility = useQuery({
    queryKey: ['verification', 'id-status', userId],
    queryFn: () => readIdStatus(userId ?? ''),
    enabled: userId !== null,
  });
  const state = eligibility.data?.state ?? null;
  const loaded = state !== null || userId === null;
  const announce = useEffectEvent(() =>
    toast({
      title: 'Email Confirmed',
      description:
        state === 'none' ? 'One thing left before your first session: your ID.' : 'You can book your hours now.',
      ms: TOAST_MS,
    }),
  );
  useEffect(() => {
    if (loaded) announce();
  }, [loaded]);
  // Opens only without an ID in review: those customers have already shown one.
  const opens = useWaited(state === 'none' && dialog === 'not yet', ID_MS);
  const idOpen = dialog === 'open' || opens;

  if (userId !== null && state === null && !eligibility.isError)
    return <Skeleton className="h-32" label="Loading your ID status" />;
  const ready = state === 'verified' || userId === null;
  return (
    <>
      <p className="max-w-prose text-fog">
        {state === 'verified'
          ? 'Your email and your ID are verified. You are ready to book.'
          : state === 'review'
            ? 'Someone on our team is checking your ID. You can send a sharper photo in the meantime.'
            : 'Before your first session we check your ID. You only do it once, and it takes a minute.'}
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        {ready ? (
          <Link className={buttonStyle.signal} to={paths.booking}>
            Continue to Booking
          </Link>
        ) : (
          <Button onClick={() => setDialog('open')}>Verify ID Now</Button>
        )}
        <Link className={buttonStyle.plain} to={paths.home}>
          Go to Home
        </Link>
      </div>
      {idOpen ? (
        <DialogBoundary page="id" onClose={() => setDialog('closed')}>
          <Suspense>
            <IdDialog
              open
              onClose={() => {
                setDialog('closed');
                void eligibility.refetch();
              }}
              onVerified={() => {
                setDialog('closed');
                void eligibility.refetch();
              }}
            />
          </Suspense>
        </DialogBoundary>
      ) : null}
    </>
  );
}
