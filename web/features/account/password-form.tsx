import { type FormEvent, useState } from 'react';
import { passwordChangeSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { changePassword } from './queries.ts';

/** The current password is asked for in place, when the sign-in is too long ago to do without (decisions T-16). */
export function PasswordForm() {
  const [password, setNew] = useState('');
  const [confirm, setConfirm] = useState('');
  const [current, setCurrent] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = passwordChangeSchema.safeParse({ password, confirm });
    if (!parsed.success)
      return toast({
        title: password === confirm ? 'Password too short' : 'Password mismatch',
        description: parsed.error.issues[0]?.message ?? '',
        tone: 'bad',
      });
    setBusy(true);
    try {
      await changePassword(password, current);
      setNew('');
      setConfirm('');
      setCurrent(null);
      toast({ title: 'Password updated', description: 'Other devices were signed out.' });
    } catch (error) {
      const message = describeError(error, 'Failed to update password. Please try again.');
      if (message === 'Please enter your current password.') setCurrent('');
      toast({ title: 'Error', description: message, tone: 'bad' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void save(event)} noValidate className="space-y-4">
      {current === null ? null : (
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
      )}
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
      <Button type="submit" tone="plain" busy={busy}>
        Change password
      </Button>
    </form>
  );
}
