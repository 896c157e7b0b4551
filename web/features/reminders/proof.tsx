import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type AskedProof, findProofStep, mailProofCode, type OwnerProof } from '#web/data/account/owner-proof.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CodeField, TextField } from '#web/ui/form/fields.tsx';
import { refuseForm, type SchemaForm } from '#web/ui/form/use-schema-form.ts';

/** The values of the forms for the number. The proof is '' until the server requires it. */
export type PhoneValues = OwnerProof & { readonly phone: string };

/**
 * Returns the form fields in which a person with an older session proves that the account is theirs: the password, or a code by email for
 * accounts without one. `refuse` shows why the form was refused, and asks for the proof if it was missing.
 */
export function useProof(form: SchemaForm<PhoneValues>): {
  fields: ReactNode;
  refuse: (error: unknown, fallback: string, field?: 'phone') => void;
} {
  const [requested, setRequested] = useState<AskedProof>('none');
  const { setFocus } = form;
  useEffect(() => {
    if (requested === 'password') setFocus('currentPassword');
    if (requested === 'code') setFocus('nonce');
  }, [requested, setFocus]);
  return {
    fields: <ProofFields form={form} requested={requested} onMailed={() => setRequested('code')} />,
    refuse(error, fallback, field) {
      const step = findProofStep(error);
      if (step.asks !== null) setRequested(step.asks);
      const at = step.field ?? field;
      refuseForm(form, { message: describeError(error, fallback), ...(at === undefined ? {} : { field: at }) });
    },
  };
}

function ProofFields({
  form: { control },
  requested,
  onMailed,
}: {
  form: SchemaForm<PhoneValues>;
  requested: AskedProof;
  onMailed: () => void;
}) {
  const mail = useMutation({
    mutationFn: mailProofCode,
    meta: { failure: 'We couldn’t send the code. Please try again.' },
    onSuccess: onMailed,
  });
  if (requested === 'none') return null;
  if (requested === 'code')
    return <CodeField control={control} name="nonce" label="6-digit code from our email" digits={6} />;
  return (
    <>
      {requested === 'password' ? (
        <TextField
          control={control}
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
      ) : null}
      <Button tone="quiet" busy={mail.isPending} onClick={() => mail.mutate()}>
        Email me a code instead
      </Button>
    </>
  );
}
