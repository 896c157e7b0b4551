import { type FormEvent, useState } from 'react';
import { firstError, isAdult, signUpSchema } from '#rules/people.ts';
import { studioDate } from '#rules/studio-time.ts';
import { birthProblem, canBeBirthDate, echoOf, FUTURE_BIRTH, isoOf, noDate } from '#web/lib/birth-date.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button } from '#web/ui/button.tsx';
import { DateEntry } from '#web/ui/date-entry.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { signUp } from './queries.ts';
import { explainSignUp } from './sign-up-errors.ts';
import { useEmailTaken } from './use-email-taken.ts';

const empty = { fullName: '', email: '', phone: '', djName: '', password: '' };
/** Empty form. The parent keeps the typed values, so that switching tabs loses nothing. */
export const nothingTyped = { fields: empty, birth: noDate };
export type TypedSignUp = typeof nothingTyped;
type Problem = { readonly field: string | null; readonly message: string };

export function SignUpForm({
  typed,
  onTyped,
  redirectTo,
  onDone,
}: {
  typed: TypedSignUp;
  onTyped: (typed: TypedSignUp) => void;
  redirectTo: string;
  onDone: (email: string, signedIn: boolean) => void;
}) {
  const today = studioDate(useNow(60_000));
  const { fields, birth } = typed;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const taken = useEmailTaken(fields.email);
  const dateOfBirth = isoOf(birth);
  const adult = dateOfBirth !== '' && isAdult(dateOfBirth, today);
  const tooYoung = dateOfBirth !== '' && !adult;
  const { fullName, email, phone, password } = fields;
  const complete = [fullName, email, phone, password].every((text) => text.trim() !== '') && adult && !taken;

  function refuse(title: string, message: string, field: string | null): void {
    setProblem({ field, message });
    // The message itself is shown at its field, or above the button.
    toast({ title, ...(field === null ? {} : { description: SEE_FIELD }), tone: 'bad' });
  }

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const { elements } = event.currentTarget;
    if (dateOfBirth === '') return refuse('Date of Birth Required', 'Please enter your date of birth.', null);
    if (!adult) return refuse('Age Requirement', 'You must be 18 years or older to create an account.', null);
    const parsed = signUpSchema.safeParse({ ...fields, dateOfBirth });
    if (!parsed.success) {
      const field = String(parsed.error.issues[0]?.path[0] ?? '');
      const input = elements.namedItem(field);
      if (input instanceof HTMLElement) input.focus();
      return refuse('Validation Error', firstError(parsed.error), field);
    }
    setBusy(true);
    setProblem(null);
    try {
      const { signedIn } = await signUp({ ...parsed.data, djName: parsed.data.djName ?? '' }, redirectTo);
      onDone(parsed.data.email, signedIn);
    } catch (cause) {
      const notice = explainSignUp(cause);
      refuse(notice.title, notice.description, null);
    } finally {
      setBusy(false);
    }
  }

  const bind = (name: keyof typeof empty) => ({
    name,
    value: fields[name],
    onChange: (event: { target: { value: string } }) =>
      onTyped({ birth, fields: { ...fields, [name]: event.target.value } }),
    error: problem?.field === name ? problem.message : null,
  });

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="space-y-4">
      <Field {...bind('fullName')} label="Full Name" badge="MUST MATCH ID" autoComplete="name" required />
      <Field
        {...bind('email')}
        label="Email"
        type="email"
        autoComplete="email"
        required
        error={taken ? 'Email already registered' : bind('email').error}
      />
      <Field {...bind('phone')} label="Phone Number" type="tel" autoComplete="tel" required />
      <DateEntry
        legend="Date of Birth"
        badge="MUST MATCH ID"
        hint="You must be 18 or older"
        echo={echoOf(birth)}
        error={birthProblem(birth, today)}
        refusal={FUTURE_BIRTH}
        accepts={(parts) => canBeBirthDate(parts, today)}
        value={birth}
        onChange={(parts) => onTyped({ fields, birth: parts })}
      />
      <Field {...bind('djName')} label="DJ Name (optional)" autoComplete="nickname" />
      <Field
        {...bind('password')}
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="At least 6 characters"
        required
      />
      {problem !== null && problem.field === null ? (
        <Notice tone="bad">
          <p>{problem.message}</p>
        </Notice>
      ) : null}
      <Button type="submit" busy={busy} disabled={!complete} className="w-full">
        {busy ? 'Creating account...' : tooYoung ? 'Must be 18+' : 'Sign Up'}
      </Button>
    </form>
  );
}
