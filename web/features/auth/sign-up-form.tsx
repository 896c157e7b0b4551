import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { type Control, useWatch } from 'react-hook-form';
import { isAdult } from '#rules/people.ts';
import { listWords } from '#rules/business/words.ts';
import { studioDate } from '#rules/studio-time.ts';
import { birthDateEntry, toIsoDate, noDate } from '#web/lib/birth-date.ts';
import { useNow } from '#web/lib/use-now.ts';
import { DateField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, type SchemaForm } from '#web/ui/form/use-schema-form.ts';
import { signUp } from './queries.ts';
import { explainSignUp } from './sign-up-errors.ts';
import { type CheckedSignUp, titleOfSignUp, type TypedSignUp } from './sign-up-schema.ts';
import { useEmailTaken } from './use-email-taken.ts';

export function SignUpForm({
  form,
  redirectTo,
  onDone,
}: {
  form: SchemaForm<TypedSignUp, CheckedSignUp>;
  redirectTo: string;
  onDone: (email: string, signedIn: boolean) => void;
}) {
  const { control } = form;
  const today = studioDate(useNow(60_000));
  const { missing, tooYoung, taken } = useProgress(control, today);
  const needs = useId();
  const send = useMutation({
    mutationFn: (checked: CheckedSignUp) => signUp(checked, redirectTo),
    meta: { handled: true },
    onSuccess: ({ signedIn }, { email }) => onDone(email, signedIn),
    onError: (error) => {
      const { title, description } = explainSignUp(error);
      refuseForm(form, { title, message: description });
    },
  });
  return (
    <Form form={form} onSend={send.mutateAsync} getTitle={titleOfSignUp} className="space-y-4">
      <TextField
        control={control}
        name="fullName"
        label="Full Name"
        badge="MUST MATCH ID"
        autoComplete="name"
        required
      />
      <TextField
        control={control}
        name="email"
        label="Email"
        type="email"
        autoComplete="email"
        required
        problem={taken ? 'Email already registered' : null}
      />
      <TextField control={control} name="phone" label="Phone Number" type="tel" autoComplete="tel" required />
      <DateField control={control} name="birth" {...birthDateEntry(today)} />
      <TextField control={control} name="djName" label="DJ Name (optional)" autoComplete="nickname" />
      <TextField
        control={control}
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        hint="At least 6 characters"
        required
      />
      <FormError control={control} />
      <SubmitButton
        control={control}
        busyLabel="Creating account..."
        disabled={missing.length > 0 || tooYoung || taken}
        aria-describedby={needs}
        className="w-full"
      >
        {tooYoung ? 'Must be 18+' : 'Sign Up'}
      </SubmitButton>
      <p id={needs} className="min-h-5 text-sm text-fog">
        {missing.length > 0
          ? `Still needed: ${listWords(missing)}.`
          : tooYoung || taken
            ? null
            : 'We’ll email you a code to confirm your address.'}
      </p>
    </Form>
  );
}

/** Returns the state of the form: which fields are empty, whether the person is too young, and whether the email already has an account. */
function useProgress(control: Control<TypedSignUp, unknown, CheckedSignUp>, today: string) {
  const { birth, fullName, email, phone, password } = useWatch({ control });
  const taken = useEmailTaken(email ?? '');
  const born = toIsoDate({ ...noDate, ...birth });
  const adult = born !== '' && isAdult(born, today);
  const fields = { name: fullName, email, 'phone number': phone, 'date of birth': born, password };
  const missing = Object.entries(fields).flatMap(([name, text = '']) => (text.trim() === '' ? [name] : []));
  return { missing, tooYoung: born !== '' && !adult, taken };
}
