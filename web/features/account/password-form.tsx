import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { passwordChangeSchema } from '#rules/people.ts';
import { passwordWanted } from '#web/data/account/owner-proof.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, titleOfPassword } from '#web/lib/errors.ts';
import { TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { changePassword } from './queries.ts';

const schema = passwordChangeSchema.and(z.object({ current: z.string() }));
const EMPTY = { password: '', confirm: '', current: '' };

/** Changes the password. Asks for the current one only when the server requires it because the sign-in is too old. */
export function PasswordForm() {
  const form = useSchemaForm(schema, { defaultValues: EMPTY });
  const { control, setFocus } = form;
  const valid = Object.keys(form.formState.errors).length === 0;
  const [currentAsked, setCurrentAsked] = useState(false);
  useEffect(() => {
    if (currentAsked) setFocus('current');
  }, [currentAsked, setFocus]);
  const save = useMutation({
    mutationFn: (typed: typeof EMPTY) => changePassword(typed.password, currentAsked ? typed.current : null),
    meta: { handled: true, invalidates: [queryKeys.sessions.all] },
    onSuccess: () => {
      form.reset(EMPTY);
      setCurrentAsked(false);
      toast({ title: 'Password updated', description: 'Other devices were signed out.' });
    },
    onError: (error) => {
      const problem = passwordWanted(error);
      if (problem === 'missing') setCurrentAsked(true);
      const message = describeError(error, 'Failed to update password. Please try again.');
      refuseForm(form, { title: 'Error', message, field: problem === null ? 'confirm' : 'current' });
    },
  });
  const newPassword = { type: 'password', autoComplete: 'new-password' } as const;
  return (
    <Form form={form} onSend={save.mutateAsync} getTitle={titleOfPassword} className="space-y-4">
      {currentAsked ? (
        <TextField
          control={control}
          name="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
      ) : null}
      <TextField {...newPassword} control={control} name="password" label="New password" hint="At least 6 characters" />
      <TextField {...newPassword} control={control} name="confirm" label="Confirm new password" />
      {save.isSuccess && valid ? (
        <Notice tone="good">
          <p className="text-sm">Your password has been changed. Other devices were signed out.</p>
        </Notice>
      ) : null}
      <SubmitButton control={control} tone="plain">
        Change password
      </SubmitButton>
    </Form>
  );
}
