import { type FormEvent, useState } from 'react';
import { firstError, signInSchema } from '#rules/people.ts';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { resendCode, signIn } from './queries.ts';

export function SignInForm({
  resetSentTo,
  onSignedIn,
  onForgot,
  onUnconfirmed,
}: {
  /** Address a reset link was just sent to; null when none was requested. */
  resetSentTo: string | null;
  onSignedIn: () => void;
  onForgot: (email: string) => void;
  onUnconfirmed: (email: string) => void;
}) {
  const [email, setEmail] = useState(resetSentTo ?? '');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<{ field: 'email' | 'password'; message: string } | null>(null);

  function refuse(title: string, message: string, field: 'email' | 'password'): void {
    setProblem({ field, message });
    toast({ title, description: SEE_FIELD, tone: 'bad' });
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = signInSchema.safeParse({ email, password });
    if (!parsed.success)
      return refuse(
        'Validation Error',
        firstError(parsed.error),
        parsed.error.issues[0]?.path[0] === 'email' ? 'email' : 'password',
      );
    setBusy(true);
    setProblem(null);
    try {
      const name = await signIn(parsed.data.email, password);
      toast({
        title: name === '' ? 'Welcome back!' : `Welcome back, ${name}!`,
        description: "You've been signed in successfully.",
      });
      onSignedIn();
    } catch (cause) {
      if (errorCode(cause) === 'email_not_confirmed') return await askForCode(parsed.data.email);
      if (errorCode(cause) === 'invalid_credentials')
        refuse('Invalid credentials', 'Please check your email and password and try again.', 'password');
      else refuse('Error', describeError(cause, UNEXPECTED), 'password');
    } finally {
      setBusy(false);
    }
  }

  /** Sends a new code, because the one from the sign-up may have expired. */
  async function askForCode(to: string): Promise<void> {
    try {
      await resendCode(to);
      toast({ title: 'Code Resent', description: 'Your email is not confirmed yet. We sent you a new code.' });
    } catch (cause) {
      toast({ title: 'Error', description: describeError(cause, UNEXPECTED), tone: 'bad' });
    }
    onUnconfirmed(to);
  }

  const errorOf = (field: 'email' | 'password') => (problem?.field === field ? problem.message : null);
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      {resetSentTo === null ? null : (
        <Notice tone="good">
          <p className="text-sm">
            If <strong>{resetSentTo}</strong> has an account, we’ve emailed a link to set a new password.
          </p>
        </Notice>
      )}
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={errorOf('email')}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={errorOf('password')}
      />
      <Button type="submit" busy={busy} className="w-full">
        {busy ? 'Signing in...' : 'Sign In'}
      </Button>
      <Button tone="quiet" onClick={() => onForgot(email)}>
        Forgot password?
      </Button>
    </form>
  );
}
