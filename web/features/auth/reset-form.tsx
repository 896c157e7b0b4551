import { type FormEvent, useState } from 'react';
import { emailSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { sendReset } from './queries.ts';

/** Asks for the mail with which a new password is chosen. */
export function ResetForm({ onBack }: { onBack: () => void }) {
  const [email, setEmail] = useState('');
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(false);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (email.trim() === '')
      return toast({ title: 'Email required', description: 'Please enter your email address first.', tone: 'bad' });
    if (!emailSchema.safeParse(email).success)
      return toast({ title: 'Validation Error', description: 'Please enter a valid email address', tone: 'bad' });
    setBusy(true);
    try {
      await sendReset(email.trim());
      setSent(true);
      toast({ title: 'Reset link sent', description: 'Check your email for a password reset link.' });
    } catch (cause) {
      toast({
        title: 'Error',
        description: describeError(cause, 'An unexpected error occurred. Please try again.'),
        tone: 'bad',
      });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <p className="text-fog">
        {sent
          ? 'Check your email for a password reset link.'
          : 'We mail you a link with which you choose a new password.'}
      </p>
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Button type="submit" busy={busy} className="w-full">
        {busy ? 'Sending...' : 'Send reset link'}
      </Button>
      <Button tone="quiet" onClick={onBack}>
        Back to Sign In
      </Button>
    </form>
  );
}
