import { UndoEmail } from '#web/features/auth/undo-email.tsx';
import { UndoEnded } from '#web/features/auth/undo-form.tsx';
import { paths } from '#web/lib/paths.ts';
import { Link, useNavigate, useSearchParams } from '#web/router/router.tsx';
import { buttonStyle } from '#web/ui/button.tsx';
import { Shell } from '#web/ui/shell.tsx';
import { useState } from 'react';

const BACK = { to: paths.home, label: 'Home' };

/** Target of the link in the mail to an address that was replaced. */
export default function UndoEmailPage() {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const [restored, setRestored] = useState<string | null>(null);
  const tokenHash = search.get('token_hash');
  if (restored !== null)
    return (
      <Shell
        back={BACK}
        title="Welcome back"
        lead={
          <p>
            Your account is yours again, at <strong className="break-words">{restored}</strong>. Everyone was signed
            out.
          </p>
        }
      >
        <p className="mb-6 max-w-prose text-fog">
          Sign in with your new password and look at your bookings and ways to sign in. If anything looks odd, write to
          us.
        </p>
        <Link className={buttonStyle.signal} to={paths.auth}>
          Sign in
        </Link>
      </Shell>
    );
  return (
    <Shell back={BACK} title="Was it you?">
      {tokenHash === null ? (
        <UndoEnded />
      ) : (
        <UndoEmail
          tokenHash={tokenHash}
          onDone={(email) => {
            setRestored(email);
            // The token has been used.
            navigate(paths.undoEmail, { replace: true });
          }}
        />
      )}
    </Shell>
  );
}
