import { EXPIRED, useConfirmLink } from '#web/features/auth/use-confirm-link.ts';
import { AfterEmail } from '#web/features/identity/after-email.tsx';
import { useSession } from '#web/data/session.tsx';
import { paths } from '#web/lib/paths.ts';
import { useWaited } from '#web/lib/use-waited.ts';
import { Link, useNavigate, useSearchParams } from '#web/router/router.tsx';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Notice, Waiting } from '#web/ui/notice.tsx';
import { Shell } from '#web/ui/shell.tsx';

const BACK = { to: paths.home, label: 'Home' };
/** Milliseconds before the session is checked. */
const CHECK_MS = 1_000;

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
  const navigate = useNavigate();
  const { status, user } = useSession();
  const tokenHash = search.get('token_hash');
  const type = readKind(search.get('type'));
  const link = useConfirmLink(type, (done) => {
    if (type === 'magiclink') return navigate(paths.profile, { replace: true });
    // The token has been used, so it is dropped from the address. A reload then shows the current state.
    return done ? setSearch({}, { replace: true }) : undefined;
  });
  const asking = tokenHash !== null && link.done === null && link.problem === null;
  const waited = useWaited(!asking, CHECK_MS);

  if (asking) {
    return (
      <Shell back={BACK} title={ASKS[type].title} lead={<p>{ASKS[type].lead}</p>}>
        <Button busy={link.busy} onClick={() => link.confirm(tokenHash)}>
          {ASKS[type].button}
        </Button>
      </Shell>
    );
  }
  if (link.done === false) {
    return (
      <Shell back={BACK} title="One more step">
        <Notice tone="good">
          <p>Thanks. Now open the email we sent to your other address and press the button in it.</p>
        </Notice>
      </Shell>
    );
  }
  if (status === 'loading' || (!waited && link.problem === null)) return <Waiting label="Verifying your email" />;
  if (link.done || (link.problem === null && user?.email_confirmed_at)) {
    return (
      <Shell back={BACK} title="Email Confirmed">
        <AfterEmail userId={user?.id ?? null} />
      </Shell>
    );
  }
  return <NotConfirmed problem={link.problem ?? EXPIRED} />;
}

function NotConfirmed({ problem }: { problem: string }) {
  return (
    <Shell back={BACK} title="Not confirmed">
      <Notice tone="bad">
        <p>{problem}</p>
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
