import { type FormEvent, useState } from 'react';
import { passwordChangeSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { setPassword, verifyLink } from './queries.ts';

/** Reached by the mailed link; nothing happens before the button is pressed, as mail scanners open links too. */
export function NewPasswordForm({ tokenHash, onDone }: { tokenHash: string | null; onDone: () => void }) {
  const [password, setNew] = useState('');
  const [confirm, setConfirm] = useState('');
  const [busy, setBusy] = useState(false);
  const [proven, setProven] = useState(tokenHash === null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = passwordChangeSchema.safeParse({ password, confirm });
    if (!parsed.success) {
      const short = password === confirm;
      return toast({
        title: short ? 'Password too short' : 'Password mismatch',
        description: parsed.error.issues[0]?.message ?? '',
        tone: 'bad',
      });
    }
    setBusy(true);
    try {
      if (!proven && tokenHash !== null) {
        await verifyLink(tokenHash, 'recovery');
        setProven(true);
      }
      await setPassword(password);
      toast({ title: 'Password updated', description: 'You are signed in with your new password.' });
      onDone();
    } catch (cause) {
      toast({
        title: 'Error',
        description: describeError(cause, 'Failed to update password. Please try again.'),
        tone: 'bad',
      });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setNew(event.target.value)}
      />
      <Field
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        value={confirm}
        onChange={(event) => setConfirm(event.target.value)}
      />
      <Button type="submit" busy={busy} className="w-full">
        Set new password
      </Button>
    </form>
  );
}
