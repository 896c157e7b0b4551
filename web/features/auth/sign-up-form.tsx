import { type FormEvent, useEffect, useState } from 'react';
import { emailSchema, firstError, isAdult, signUpSchema } from '#rules/people.ts';
import { studioDate } from '#rules/studio-time.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toast.tsx';
import { BirthDate, isoOf, noDate } from './birth-date.tsx';
import { emailTaken, signUp } from './queries.ts';

const DEBOUNCE_MS = 500;

export function SignUpForm({
  redirectTo,
  onDone,
}: {
  redirectTo: string;
  onDone: (email: string, signedIn: boolean) => void;
}) {
  const [fields, setFields] = useState({ fullName: '', email: '', phone: '', djName: '', password: '' });
  const [birth, setBirth] = useState(noDate);
  const [taken, setTaken] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const dateOfBirth = isoOf(birth);
  const adult = dateOfBirth !== '' && isAdult(dateOfBirth, studioDate(new Date()));
  const complete =
    fields.email !== '' &&
    fields.password !== '' &&
    fields.fullName !== '' &&
    fields.phone !== '' &&
    dateOfBirth !== '';

  useEffect(() => {
    setTaken(false);
    if (!emailSchema.safeParse(fields.email).success) return;
    const abort = new AbortController();
    const timer = setTimeout(
      () =>
        void emailTaken(fields.email.trim(), abort.signal).then((known) =>
          abort.signal.aborted ? undefined : setTaken(known === true),
        ),
      DEBOUNCE_MS,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [fields.email]);

  const set = (name: keyof typeof fields) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [name]: event.target.value });

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (dateOfBirth === '')
      return toast({ title: 'Date of Birth Required', description: 'Please enter your date of birth.', tone: 'bad' });
    if (!adult)
      return toast({
        title: 'Age Requirement',
        description: 'You must be 18 years or older to create an account.',
        tone: 'bad',
      });
    const parsed = signUpSchema.safeParse({ ...fields, dateOfBirth });
    if (!parsed.success)
      return toast({ title: 'Validation Error', description: firstError(parsed.error), tone: 'bad' });
    setBusy(true);
    setError(null);
    try {
      const { signedIn } = await signUp(
        { ...fields, fullName: parsed.data.fullName, email: parsed.data.email, dateOfBirth },
        redirectTo,
      );
      onDone(parsed.data.email, signedIn);
    } catch (cause) {
      const message = describeError(cause, 'An unexpected error occurred. Please try again.');
      const told = explain(message);
      setError(told.description);
      toast({ ...told, tone: 'bad' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <Field
        label="Full Name"
        badge="MUST MATCH ID"
        autoComplete="name"
        value={fields.fullName}
        onChange={set('fullName')}
      />
      <Field
        label="Email"
        type="email"
        autoComplete="email"
        value={fields.email}
        onChange={set('email')}
        error={taken ? 'Email already registered' : null}
      />
      <Field label="Phone Number" type="tel" autoComplete="tel" value={fields.phone} onChange={set('phone')} />
      <BirthDate
        value={birth}
        onChange={setBirth}
        error={dateOfBirth !== '' && !adult ? 'You must be 18 or older' : null}
      />
      <Field label="DJ Name (optional)" autoComplete="nickname" value={fields.djName} onChange={set('djName')} />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        value={fields.password}
        onChange={set('password')}
        hint="At least 6 characters"
        error={error}
      />
      <Button type="submit" busy={busy} disabled={!complete || !adult || taken} className="w-full">
        {busy ? 'Creating account...' : dateOfBirth !== '' && !adult ? 'Must be 18+' : 'Sign Up'}
      </Button>
    </form>
  );
}

/** The error catalogue of spec section 8. */
function explain(message: string): { title: string; description: string } {
  if (message.includes('User already registered'))
    return {
      title: 'Email already in use',
      description: 'An account with this email already exists. Please sign in instead or use a different email.',
    };
  if (message.includes('Password should be at least'))
    return { title: 'Password too short', description: 'Password must be at least 6 characters long.' };
  return { title: 'Sign up failed', description: message };
}
