import { type FormEvent, useState } from 'react';
import { firstError, signInSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { signIn } from './queries.ts';

export function SignInForm({
  onSignedIn,
  onForgot,
  onUnconfirmed,
}: {
  onSignedIn: () => void;
  onForgot: () => void;
  onUnconfirmed: (email: string) => void;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const parsed = signInSchema.safeParse({ email, password });
    if (!parsed.success)
      return toast({ title: 'Validation Error', description: firstError(parsed.error), tone: 'bad' });
    setBusy(true);
    setError(null);
    try {
      const name = await signIn(parsed.data.email, password);
      toast({
        title: name === '' ? 'Welcome back!' : `Welcome back, ${name}!`,
        description: "You've been signed in successfully.",
      });
      onSignedIn();
    } catch (cause) {
      const message = describeError(cause, 'An unexpected error occurred. Please try again.');
      if (message === 'Email not confirmed') return onUnconfirmed(parsed.data.email);
      const wrong = message.includes('Invalid login credentials');
      setError(wrong ? 'Please check your email and password and try again.' : message);
      toast({
        title: wrong ? 'Invalid credentials' : 'Error',
        description: wrong ? 'Please check your email and password and try again.' : message,
        tone: 'bad',
      });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        error={error}
      />
      <Button type="submit" busy={busy} className="w-full">
        {busy ? 'Signing in...' : 'Sign In'}
      </Button>
      <Button tone="quiet" onClick={onForgot}>
        Forgot password?
      </Button>
    </form>
  );
}
