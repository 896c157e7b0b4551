import { type FormEvent, useState } from 'react';
import { firstError, passwordChangeSchema } from '#rules/people.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { setPassword, verifyLink } from './queries.ts';

/** Sets a new password from the mailed link. Acts only when the button is pressed, because mail scanners open links. */
export function NewPasswordForm({
  tokenHash,
  invited = false,
  signedIn,
  onDone,
  onAskAgain,
}: {
  /** From the link; null without one. */
  tokenHash: string | null;
  /** The link is an invitation to a new account. */
  invited?: boolean;
  signedIn: boolean;
  onDone: () => void;
  onAskAgain: () => void;
}) {
  const [password, setNew] = useState('');
  const [confirm, setConfirm] = useState('');
  const [busy, setBusy] = useState(false);
  const [proven, setProven] = useState(false);
  const [expired, setExpired] = useState(false);
  const [error, setError] = useState<string | null>(null);

  function refuse(title: string, message: string): void {
    setError(message);
    toast({ title, description: SEE_FIELD, tone: 'bad' });
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = passwordChangeSchema.safeParse({ password, confirm });
    if (!parsed.success)
      return refuse(password === confirm ? 'Password too short' : 'Password mismatch', firstError(parsed.error));
    setBusy(true);
    setError(null);
    try {
      // The link works once: after it is used, a refused password is tried again without it.
      if (!proven && tokenHash !== null) await verifyLink(tokenHash, invited ? 'invite' : 'recovery');
      setProven(true);
      await setPassword(password);
      toast({ title: 'Password updated', description: 'You are signed in with your new password.' });
      onDone();
    } catch (cause) {
      if (errorCode(cause) === 'otp_expired') setExpired(true);
      refuse('Error', describeError(cause, 'Failed to update password. Please try again.'));
    } finally {
      setBusy(false);
    }
  }

  if (expired || (tokenHash === null && !signedIn)) {
    return (
      <div className="space-y-4">
        <Notice tone="bad">
          <p>This link has expired or has already been used. Ask for a new one under &ldquo;Forgot password?&rdquo;.</p>
        </Notice>
        <Button onClick={onAskAgain}>Ask for a new link</Button>
      </div>
    );
  }
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setNew(event.target.value)}
        hint="At least 6 characters"
      />
      <Field
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        required
        value={confirm}
        onChange={(event) => setConfirm(event.target.value)}
        error={error}
      />
      <Button type="submit" busy={busy} className="w-full">
        Set new password
      </Button>
    </form>
  );
}
