import { type FormEvent, useState } from 'react';
import { verificationCodeSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { inputStyle } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { resendCode, verifyCode } from './queries.ts';

/** The six digits of the mail. */
export function CodeForm({ email, onVerified }: { email: string; onVerified: () => void }) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = verificationCodeSchema.safeParse(code);
    if (!parsed.success)
      return toast({ title: 'Invalid code', description: 'Please enter the 6-digit verification code.', tone: 'bad' });
    setBusy(true);
    setError(null);
    try {
      await verifyCode(email, code);
      toast({ title: 'Email verified!', description: 'Your account has been created successfully.' });
      onVerified();
    } catch (cause) {
      const message = describeError(cause, 'Failed to verify email. Please try again.');
      setError(message);
      toast({ title: 'Verification failed', description: message, tone: 'bad' });
    } finally {
      setBusy(false);
    }
  }

  async function resend(): Promise<void> {
    try {
      await resendCode(email);
      toast({ title: 'Code Resent', description: `A new code is on its way to ${email}.` });
    } catch (cause) {
      toast({
        title: 'Error',
        description: describeError(cause, 'Failed to resend code. Please try again.'),
        tone: 'bad',
      });
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <p className="text-fog">
        We sent a 6-digit code to <strong className="text-chalk">{email}</strong>. It is good for 10 minutes.
      </p>
      <label className="block text-sm font-semibold" htmlFor="code">
        Verification code
      </label>
      <input
        id="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        className={`${inputStyle} text-center text-3xl font-bold tracking-[0.5em]`}
        value={code}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? 'code-error' : undefined}
        onChange={(event) => setCode(event.target.value.replace(/\D/g, '').slice(0, 6))}
      />
      {error ? (
        <p id="code-error" role="alert" className="text-sm text-bad">
          {error}
        </p>
      ) : null}
      <Button type="submit" busy={busy} className="w-full">
        Verify Email
      </Button>
      <Button tone="quiet" onClick={() => void resend()}>
        Resend code
      </Button>
    </form>
  );
}
