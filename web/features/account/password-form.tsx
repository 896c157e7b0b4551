import { type FormEvent, useState } from 'react';
import { firstError, passwordChangeSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { changePassword, passwordWanted } from './queries.ts';

/** Changes the password. Asks for the current one only when the server requires it because the sign-in is too old. */
export function PasswordForm() {
  const [password, setNew] = useState('');
  const [confirm, setConfirm] = useState('');
  const [current, setCurrent] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [problem, setProblem] = useState<{ field: 'current' | 'confirm'; message: string } | null>(null);

  function refuse(title: string, message: string, field: 'current' | 'confirm'): void {
    setProblem({ field, message });
    toast({ title, description: SEE_FIELD, tone: 'bad' });
  }

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    setDone(false);
    const parsed = passwordChangeSchema.safeParse({ password, confirm });
    if (!parsed.success)
      return refuse(
        password === confirm ? 'Password too short' : 'Password mismatch',
        firstError(parsed.error),
        'confirm',
      );
    setBusy(true);
    setProblem(null);
    try {
      await changePassword(password, current);
      setNew('');
      setConfirm('');
      setCurrent(null);
      setDone(true);
      toast({ title: 'Password updated', description: 'Other devices were signed out.' });
    } catch (error) {
      const wanted = passwordWanted(error);
      if (wanted === 'missing') setCurrent('');
      refuse(
        'Error',
        describeError(error, 'Failed to update password. Please try again.'),
        wanted === null ? 'confirm' : 'current',
      );
    } finally {
      setBusy(false);
    }
  }

  const errorOf = (field: 'current' | 'confirm') => (problem?.field === field ? problem.message : null);
  return (
    <form onSubmit={(event) => void save(event)} noValidate className="space-y-4">
      {current === null ? null : (
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
          error={errorOf('current')}
        />
      )}
      <Field
        label="New password"
        type="password"
        autoComplete="new-password"
        value={password}
        onChange={(event) => setNew(event.target.value)}
        hint="At least 6 characters"
      />
      <Field
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        value={confirm}
        onChange={(event) => setConfirm(event.target.value)}
        error={errorOf('confirm')}
      />
      {done ? (
        <Notice tone="good">
          <p className="text-sm">Your password has been changed. Other devices were signed out.</p>
        </Notice>
      ) : null}
      <Button type="submit" tone="plain" busy={busy}>
        Change password
      </Button>
    </form>
  );
}
