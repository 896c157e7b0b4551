import { type FormEvent, useEffect, useRef, useState } from 'react';
import { emailSchema } from '#rules/people.ts';
import { describeError, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { sendReset } from './queries.ts';

/** Requests the mail with a link to set a new password, then returns to signing in. */
export function ResetForm({
  startEmail,
  onBack,
  onSent,
}: {
  startEmail: string;
  onBack: () => void;
  onSent: (email: string) => void;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [email, setEmail] = useState(startEmail);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  function refuse(title: string, message: string): void {
    setError(message);
    toast({ title, description: SEE_FIELD, tone: 'bad' });
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (email.trim() === '') return refuse('Email required', 'Please enter your email address first.');
    const parsed = emailSchema.safeParse(email);
    if (!parsed.success)
      return refuse('Validation Error', parsed.error.issues[0]?.message ?? 'Please enter a valid email address');
    setBusy(true);
    setError(null);
    try {
      await sendReset(parsed.data);
      toast({ title: 'Reset link sent', description: 'Check your email for a password reset link.' });
      onSent(parsed.data);
    } catch (cause) {
      refuse('Error', describeError(cause, UNEXPECTED));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <p className="text-fog">We’ll email you a link to set a new password.</p>
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={error}
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
