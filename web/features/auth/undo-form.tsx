import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { z } from 'zod';
import { passwordChangeSchema } from '#rules/people.ts';
import { describeError, errorCode, titleOfPassword, UNEXPECTED, wasCancelled } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CodeField, TextField } from '#web/ui/form/fields.tsx';
import { Form, FormError, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { Notice } from '#web/ui/notice.tsx';
import type { SecondFactor } from './queries.ts';
import { answerWithKey, challengeUndo, completeUndo, type UndoChallenge } from './undo-calls.ts';

const DIGITS = 6;
/** The schema of the form. `code` is only required for second factors with codes. */
const createSchema = (needsCode: boolean) =>
  z
    .object({ code: needsCode ? z.string().length(DIGITS, 'The code has 6 digits.') : z.string() })
    .and(passwordChangeSchema);
type Fields = { readonly code: string; readonly password: string; readonly confirm: string };

const WHAT: Readonly<Record<SecondFactor['type'], string>> = {
  totp: 'Open your authenticator app and type the code it shows.',
  phone: 'We’ll send a code to your phone.',
  webauthn: 'We’ll ask for your security key when you finish.',
};

/** Asks for the second step of the account and for a new password. */
export function UndoForm({
  tokenHash,
  email,
  factors,
  onDone,
}: {
  tokenHash: string;
  email: string;
  factors: readonly SecondFactor[];
  onDone: (email: string) => void;
}) {
  const [chosen, setChosen] = useState(factors[0] ?? null);
  return (
    <div className="max-w-md space-y-6">
      <p>
        <strong className="break-words">{email}</strong> comes back once you’ve chosen a new password
        {chosen === null ? '' : ' and shown your second step'}.
      </p>
      <FactorForm key={chosen?.id ?? 'none'} tokenHash={tokenHash} factor={chosen} onDone={() => onDone(email)} />
      <div className="flex flex-wrap gap-x-4">
        {factors
          .filter((factor) => factor.id !== chosen?.id)
          .map((factor) => (
            <Button key={factor.id} tone="quiet" onClick={() => setChosen(factor)}>
              Use {factor.name === '' ? 'another way' : factor.name}
            </Button>
          ))}
      </div>
      {chosen === null ? null : (
        <p className="text-sm text-fog">Lost your second step? Write to us, and we’ll check that it’s you.</p>
      )}
    </div>
  );
}

function FactorForm({
  tokenHash,
  factor,
  onDone,
}: {
  tokenHash: string;
  factor: SecondFactor | null;
  onDone: () => void;
}) {
  const challenge = useRef<UndoChallenge | null>(null);
  const ask = async (id: string): Promise<UndoChallenge> => (challenge.current ??= await challengeUndo(tokenHash, id));
  const text = useMutation({ mutationFn: ask, meta: { handled: true } });
  const hasCode = factor !== null && factor.type !== 'webauthn';
  const form = useSchemaForm(createSchema(hasCode), { defaultValues: { code: '', password: '', confirm: '' } });
  const send = useMutation({
    mutationFn: async ({ code, password }: Fields) => {
      if (factor === null) return completeUndo(tokenHash, password, null);
      const issued = await ask(factor.id);
      const answer = hasCode ? { code } : await answerWithKey(issued);
      return completeUndo(tokenHash, password, { factorId: factor.id, challengeId: issued.id, answer });
    },
    meta: { handled: true },
    onSuccess: onDone,
    onError: (error) => {
      const weak = errorCode(error) === 'weak_password';
      // A challenge allows only a few wrong answers, so an app or a key gets a new one. The challenge of a phone is kept, because its
      // message stays valid.
      if (!weak && factor?.type !== 'phone') challenge.current = null;
      refuse(form, error, weak ? 'password' : hasCode ? 'code' : null);
    },
  });
  if (errorCode(send.error) === 'otp_expired') return <UndoEnded />;
  const { control } = form;
  const look = { type: 'password', autoComplete: 'new-password', required: true } as const;
  return (
    <Form form={form} onSend={send.mutateAsync} getTitle={getTitle} className="space-y-4">
      {factor === null ? null : <p className="text-fog">{WHAT[factor.type]}</p>}
      {factor?.type === 'phone' ? (
        <TextCode
          sent={text.isSuccess}
          busy={text.isPending}
          error={text.error}
          onSend={() => text.mutate(factor.id)}
        />
      ) : null}
      {hasCode ? <CodeField control={control} name="code" label="6-digit code" digits={DIGITS} /> : null}
      <TextField {...look} control={control} name="password" label="New password" hint="At least 6 characters" />
      <TextField {...look} control={control} name="confirm" label="Confirm new password" />
      <FormError control={control} />
      <SubmitButton control={control} className="w-full">
        Take my account back
      </SubmitButton>
    </Form>
  );
}

/** Sends the code to a phone and confirms when it is sent. */
function TextCode({
  sent,
  busy,
  error,
  onSend,
}: {
  sent: boolean;
  busy: boolean;
  error: Error | null;
  onSend: () => void;
}) {
  if (sent)
    return (
      <Notice tone="good">
        <p>We’ve sent a code to your phone.</p>
      </Notice>
    );
  return (
    <>
      {error === null ? null : (
        <Notice tone="bad">
          <p>{describeError(error, UNEXPECTED)}</p>
        </Notice>
      )}
      <Button tone="plain" busy={busy} onClick={onSend}>
        Send code
      </Button>
    </>
  );
}

const getTitle = (field: string): string | null => (field === 'code' ? null : titleOfPassword(field));

function refuse(form: Parameters<typeof refuseForm<Fields>>[0], error: Error, field: 'password' | 'code' | null): void {
  const wrong = errorCode(error) === 'mfa_verification_failed';
  const message =
    wrong && field === 'code'
      ? 'That code isn’t right. Please try again.'
      : wasCancelled(error)
        ? 'Your security key didn’t answer. Please try again.'
        : describeError(error, UNEXPECTED);
  refuseForm(form, field === null ? { message } : { message, field });
}

/** Shown if the link is expired, used or malformed. */
export function UndoEnded() {
  return (
    <Notice tone="bad">
      <p>
        This link has expired or has already been used. It works for three days after the change. Write to us, and we’ll
        help you get back in.
      </p>
    </Notice>
  );
}
