import { useMutation } from '@tanstack/react-query';
import { signInSchema } from '#rules/people.ts';
import { describeError, errorCode, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { resendCode, signIn } from './queries.ts';

export function SignInForm({
  resetSentTo,
  onSignedIn,
  onForgot,
  onUnconfirmed,
}: {
  /** The address to which a reset link was just sent; null if none was requested. */
  resetSentTo: string | null;
  onSignedIn: () => void;
  onForgot: (email: string) => void;
  onUnconfirmed: (email: string) => void;
}) {
  const form = useSchemaForm(signInSchema, { defaultValues: { email: resetSentTo ?? '', password: '' } });
  const { control, getValues } = form;
  const askForCode = useNewCode(onUnconfirmed);
  const send = useMutation({
    mutationFn: signIn,
    meta: { handled: true },
    onSuccess: (name) => {
      toast({
        title: name === '' ? 'Welcome back!' : `Welcome back, ${name}!`,
        description: "You've been signed in successfully.",
      });
      onSignedIn();
    },
    onError: (error, { email }) => {
      if (errorCode(error) === 'email_not_confirmed') return askForCode(email);
      return refuseForm(form, { ...explainSignIn(error), field: 'password' });
    },
  });
  return (
    <Form form={form} onSend={send.mutateAsync} className="space-y-4">
      {resetSentTo === null ? null : <ResetSent to={resetSentTo} />}
      <TextField control={control} name="email" label="Email" type="email" autoComplete="email" required />
      <TextField
        control={control}
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        required
      />
      <SubmitButton control={control} busyLabel="Signing in..." className="w-full">
        Sign In
      </SubmitButton>
      <Button tone="quiet" onClick={() => onForgot(getValues('email'))}>
        Forgot password?
      </Button>
    </Form>
  );
}

/** Returns a function that sends a new code, because the one from the sign-up may have expired, and then asks for the code. */
function useNewCode(onUnconfirmed: (email: string) => void): (email: string) => Promise<void> {
  const resend = useMutation({ mutationFn: resendCode });
  return async (email) => {
    await resend.mutateAsync(email).then(
      () => toast({ title: 'Code Resent', description: 'Your email is not confirmed yet. We sent you a new code.' }),
      () => undefined, // A toast shows the failure. The earlier code may still work.
    );
    onUnconfirmed(email);
  };
}

function explainSignIn(error: unknown): { title: string; message: string } {
  return errorCode(error) === 'invalid_credentials'
    ? { title: 'Invalid credentials', message: 'Please check your email and password and try again.' }
    : { title: 'Error', message: describeError(error, UNEXPECTED) };
}

function ResetSent({ to }: { to: string }) {
  return (
    <Notice tone="good">
      <p className="text-sm">
        If <strong>{to}</strong> has an account, we’ve emailed a link to set a new password.
      </p>
    </Notice>
  );
}
