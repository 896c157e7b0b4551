import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { z } from 'zod';
import { passwordChangeSchema } from '#rules/people.ts';
import { type AskedProof, findProofStep } from '#web/data/account/owner-proof.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, titleOfPassword } from '#web/lib/errors.ts';
import { CodeField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { CodeInstead } from './code-instead.tsx';
import { changePassword } from './queries.ts';

const schema = passwordChangeSchema.and(z.object({ currentPassword: z.string(), nonce: z.string() }));
const EMPTY = { password: '', confirm: '', currentPassword: '', nonce: '' };

/**
 * Changes the password. Asks for the current one, or for a mailed code, only when the server requires it because the sign-in is too old.
 */
export function PasswordForm() {
  const form = useSchemaForm(schema, { defaultValues: EMPTY });
  const { control, setFocus } = form;
  const valid = Object.keys(form.formState.errors).length === 0;
  const [proof, setProof] = useState<AskedProof>('none');
  useEffect(() => {
    if (proof === 'password') setFocus('currentPassword');
    if (proof === 'code') setFocus('nonce');
  }, [proof, setFocus]);
  const save = useMutation({
    mutationFn: (typed: typeof EMPTY) => changePassword(typed.password, typed),
    meta: { handled: true, invalidates: [queryKeys.sessions.all] },
    onSuccess: () => {
      form.reset(EMPTY);
      setProof('none');
      toast({ title: 'Password updated', description: 'Other devices were signed out.' });
    },
    onError: (error) => {
      const { field, asks } = findProofStep(error);
      if (asks !== null) setProof(asks);
      const message = describeError(error, 'Failed to update password. Please try again.');
      refuseForm(form, { title: 'Error', message, ...(asks === 'choice' ? {} : { field: field ?? 'confirm' }) });
    },
  });
  const newPassword = { type: 'password', autoComplete: 'new-password' } as const;
  return (
    <Form form={form} onSend={save.mutateAsync} getTitle={titleOfPassword} className="space-y-4">
      {proof === 'password' ? (
        <TextField
          control={control}
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
      ) : null}
      {proof === 'code' ? <CodeField control={control} name="nonce" label="6-digit code" digits={6} /> : null}
      {proof === 'password' || proof === 'choice' ? <CodeInstead onMailed={() => setProof('code')} /> : null}
      <TextField {...newPassword} control={control} name="password" label="New password" hint="At least 6 characters" />
      <TextField {...newPassword} control={control} name="confirm" label="Confirm new password" />
      {save.isSuccess && valid ? (
        <Notice tone="good">
          <p className="text-sm">Your password has been changed. Other devices were signed out.</p>
        </Notice>
      ) : null}
      <FormError control={control} />
      <SubmitButton control={control} tone="plain">
        Change password
      </SubmitButton>
    </Form>
  );
}
