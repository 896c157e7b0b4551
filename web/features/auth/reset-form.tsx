import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { emailSchema } from '#rules/people.ts';
import { describeError, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { sendReset } from './queries.ts';

const EMPTY = 'Please enter your email address first.';
const schema = z.object({ email: z.string().trim().min(1, EMPTY).pipe(emailSchema) });
const getTitle = (_field: string, message: string): string =>
  message === EMPTY ? 'Email required' : 'Validation Error';

/** Requests the mail with a link to set a new password, then returns to the sign-in form. */
export function ResetForm({
  startEmail,
  onBack,
  onSent,
}: {
  startEmail: string;
  onBack: () => void;
  onSent: (email: string) => void;
}) {
  const form = useSchemaForm(schema, { defaultValues: { email: startEmail } });
  const { control } = form;
  const send = useMutation({
    mutationFn: ({ email }: { email: string }) => sendReset(email),
    meta: { handled: true },
    onSuccess: (_sent, { email }) => {
      toast({ title: 'Reset link sent', description: 'Check your email for a password reset link.' });
      onSent(email);
    },
    onError: (error) => refuseForm(form, { title: 'Error', message: describeError(error, UNEXPECTED), field: 'email' }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} getTitle={getTitle} startAt="email" className="space-y-4">
      <p className="text-fog">We’ll email you a link to set a new password.</p>
      <TextField control={control} name="email" label="Email" type="email" autoComplete="email" required />
      <SubmitButton control={control} busyLabel="Sending..." className="w-full">
        Send reset link
      </SubmitButton>
      <Button tone="quiet" onClick={onBack}>
        Back to Sign In
      </Button>
    </Form>
  );
}
