import { type FormEvent, useEffect, useRef, useState } from 'react';
import { firstError, verificationCodeSchema } from '#rules/people.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { resendCode, verifyCode } from './queries.ts';

/** The API says "Token has expired or is invalid" for a mistyped code too. */
const WRONG_CODE = 'That code isn’t right, or it has expired. Check your email or resend the code.';

/** Asks for the six digits of the mail. The page reacts to the new session itself. */
export function CodeForm({ email, onOther }: { email: string; onOther: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState<'verify' | 'resend' | null>(null);
  const [error, setError] = useState<string | null>(null);

  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = verificationCodeSchema.safeParse(code);
    if (!parsed.success) {
      setError(firstError(parsed.error));
      return toast({ title: 'Invalid code', description: SEE_FIELD, tone: 'bad' });
    }
    setBusy('verify');
    setError(null);
    try {
      await verifyCode(email, code);
      toast({ title: 'Email verified!', description: 'Your account has been created successfully.' });
    } catch (cause) {
      const message =
        errorCode(cause) === 'otp_expired'
          ? WRONG_CODE
          : describeError(cause, 'Failed to verify email. Please try again.');
      setError(message);
      toast({ title: 'Verification failed', description: SEE_FIELD, tone: 'bad' });
    } finally {
      setBusy(null);
    }
  }

  async function resend(): Promise<void> {
    setBusy('resend');
    try {
      await resendCode(email);
      setError(null);
      toast({ title: 'Code Resent', description: `A new code is on its way to ${email}.` });
    } catch (cause) {
      const message = describeError(cause, 'Failed to resend code. Please try again.');
      setError(message);
      toast({ title: 'Error', description: SEE_FIELD, tone: 'bad' });
    } finally {
      setBusy(null);
    }
  }

  return (
    <form ref={form} onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <p className="text-fog">
        We sent a 6-digit code to <strong className="break-all text-chalk">{email}</strong>. It works for 10 minutes.
      </p>
      <Field
        label="Verification code"
        inputMode="numeric"
        autoComplete="one-time-code"
        large
        value={code}
        // Accept a pasted "123 456".
        onChange={(event) => setCode(event.target.value.replace(/\D/g, '').slice(0, 6))}
        error={error}
      />
      <Button type="submit" busy={busy === 'verify'} className="w-full">
        Verify Email
      </Button>
      <div className="flex flex-wrap gap-x-4">
        <Button tone="quiet" busy={busy === 'resend'} onClick={() => void resend()}>
          Resend code
        </Button>
        <Button tone="quiet" onClick={onOther}>
          Use another email
        </Button>
      </div>
    </form>
  );
}
