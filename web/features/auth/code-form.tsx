import { useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import { verificationCodeSchema } from '#rules/people.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CodeField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { resendCode, verifyCode } from './queries.ts';

const schema = z.object({ code: verificationCodeSchema });
/** Asks for the six digits from the mail. The page reacts to the new session itself. */
export function CodeForm({ email, onOther }: { email: string; onOther: () => void }) {
  const form = useSchemaForm(schema, { defaultValues: { code: '' } });
  const { control, clearErrors } = form;
  const verify = useMutation({
    mutationFn: ({ code }: { code: string }) => verifyCode(email, code),
    meta: { handled: true },
    onSuccess: () => toast({ title: 'Email verified!', description: 'Your account has been created successfully.' }),
    onError: (error) => {
      const message = describeError(error, 'Failed to verify email. Please try again.');
      refuseForm(form, { title: 'Verification failed', message, field: 'code' });
    },
  });
  const resend = useMutation({
    mutationFn: () => resendCode(email),
    meta: { handled: true },
    onSuccess: () => {
      clearErrors();
      toast({ title: 'Code Resent', description: `A new code is on its way to ${email}.` });
    },
    onError: (error) => {
      const message = describeError(error, 'Failed to resend code. Please try again.');
      refuseForm(form, { title: 'Error', message, field: 'code' });
    },
  });
  return (
    <Form form={form} onSend={verify.mutateAsync} getTitle={() => 'Invalid code'} startAt="code" className="space-y-4">
      <p className="text-fog">
        We sent a 6-digit code to <strong className="break-all text-chalk">{email}</strong>. It works for 10 minutes.
      </p>
      <CodeField control={control} name="code" label="Verification code" digits={6} sends />
      <SubmitButton control={control} className="w-full">
        Verify Email
      </SubmitButton>
      <div className="flex flex-wrap gap-x-4">
        <Button tone="quiet" busy={resend.isPending} onClick={() => resend.mutate()}>
          Resend code
        </Button>
        <Button tone="quiet" onClick={onOther}>
          Use another email
        </Button>
      </div>
    </Form>
  );
}
