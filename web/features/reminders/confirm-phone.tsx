import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { normalisePhone } from '#rules/people.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, UNEXPECTED } from '#web/lib/errors.ts';
import { Button } from '#web/ui/button.tsx';
import { CodeField, TextField } from '#web/ui/form/fields.tsx';
import { Form, SubmitButton } from '#web/ui/form/form.tsx';
import { refuseForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { toast } from '#web/ui/toast.tsx';
import { useProof } from './proof.tsx';
import { confirmPhone, sendCodeAgain, sendPhoneCode, setReminder } from './queries.ts';

/** Returns the schema of a phone number. `current`: the account's number, which is refused because the server sends no code to it. */
const numberSchema = (current: string | null) =>
  z.object({
    phone: z
      .string()
      .refine((typed) => normalisePhone(typed) !== null, 'Please enter a mobile number.')
      .refine((typed) => normalisePhone(typed) !== current, 'This is your number already.'),
    currentPassword: z.string(),
    nonce: z.string(),
  });
const codeSchema = z.object({ code: z.string().regex(/^\d{6}$/, 'The code has 6 digits.') });

/** Confirms a number for text messages with a code that is sent to it. `current`: the number that is replaced, or null for the first one. */
export function ConfirmPhone({
  userId,
  current,
  onClose,
}: {
  userId: string;
  current: string | null;
  onClose?: () => void;
}) {
  const [phone, setPhone] = useState<string | null>(null);
  return phone === null ? (
    <NumberForm current={current} onSent={setPhone} onClose={onClose} />
  ) : (
    <PhoneCodeForm
      userId={userId}
      phone={phone}
      current={current}
      onBack={() => setPhone(null)}
      onConfirmed={() => onClose?.()}
    />
  );
}

function NumberForm({
  current,
  onSent,
  onClose,
}: {
  current: string | null;
  onSent: (phone: string) => void;
  onClose: (() => void) | undefined;
}) {
  const form = useSchemaForm(numberSchema(current), { defaultValues: { phone: '', currentPassword: '', nonce: '' } });
  const proof = useProof(form);
  const send = useMutation({
    mutationFn: async ({ phone, ...given }: z.output<ReturnType<typeof numberSchema>>) => {
      const number = normalisePhone(phone) ?? phone;
      await sendPhoneCode(number, given);
      onSent(number);
    },
    meta: { handled: true },
    onError: (error) => proof.refuse(error, UNEXPECTED, 'phone'),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} getTitle={() => null} className="max-w-md space-y-4">
      <TextField
        control={form.control}
        name="phone"
        label={current === null ? 'Mobile number for text messages' : 'New mobile number'}
        type="tel"
        autoComplete="tel"
        {...(current === null ? {} : { hint: `Texts go to ${current} until you enter the code we send.` })}
      />
      {proof.fields}
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control} tone="plain">
          Send code
        </SubmitButton>
        {onClose === undefined ? null : (
          <Button tone="quiet" disabled={send.isPending} onClick={onClose}>
            Keep {current}
          </Button>
        )}
      </div>
    </Form>
  );
}

function PhoneCodeForm({
  userId,
  phone,
  current,
  onBack,
  onConfirmed,
}: {
  userId: string;
  phone: string;
  current: string | null;
  onBack: () => void;
  onConfirmed: () => void;
}) {
  const form = useSchemaForm(codeSchema, { defaultValues: { code: '' } });
  const confirm = useMutation({
    mutationFn: async ({ code }: { code: string }) => {
      await confirmPhone(phone, code);
      // A person who adds a number wants the texts. A changed number keeps the setting.
      if (current === null) await setReminder(userId, 'remind_by_text', true);
    },
    meta: { handled: true, invalidates: [queryKeys.reminders.all] },
    onSuccess: () => {
      toast({ title: 'Number confirmed', description: `We text ${phone} from now on.` });
      onConfirmed();
    },
    onError: (error) => refuseForm(form, { message: describeError(error, UNEXPECTED), field: 'code' }),
  });
  const resend = useMutation({
    mutationFn: () => sendCodeAgain(phone),
    meta: { handled: true, invalidates: [] },
    onSuccess: () => toast({ title: 'Code sent again', description: 'Only the newest code works.' }),
    onError: (error) => refuseForm(form, { message: describeError(error, UNEXPECTED), field: 'code' }),
  });
  return (
    <Form form={form} onSend={confirm.mutateAsync} getTitle={() => null} startAt="code" className="max-w-md space-y-4">
      <p className="text-fog">We texted a code to {phone}.</p>
      <CodeField control={form.control} name="code" label="6-digit code" digits={6} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control} tone="plain">
          Confirm
        </SubmitButton>
        <Button tone="quiet" busy={resend.isPending} onClick={() => resend.mutate()}>
          Send it again
        </Button>
        <Button tone="quiet" onClick={onBack}>
          Another number
        </Button>
      </div>
    </Form>
  );
}
