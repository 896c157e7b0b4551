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
import { confirmPhone, sendPhoneCode } from './queries.ts';

const numberSchema = z.object({
  phone: z.string().refine((typed) => normalisePhone(typed) !== null, 'Please enter a mobile number.'),
});
const codeSchema = z.object({ code: z.string().regex(/^\d{6}$/, 'The code has 6 digits.') });

/** Confirms the number for text messages: a code is sent to it. */
export function ConfirmPhone() {
  const [phone, setPhone] = useState<string | null>(null);
  return phone === null ? (
    <NumberForm onSent={setPhone} />
  ) : (
    <PhoneCodeForm phone={phone} onBack={() => setPhone(null)} />
  );
}

function NumberForm({ onSent }: { onSent: (phone: string) => void }) {
  const form = useSchemaForm(numberSchema, { defaultValues: { phone: '' } });
  const send = useMutation({
    mutationFn: async ({ phone }: { phone: string }) => {
      const number = normalisePhone(phone) ?? phone;
      await sendPhoneCode(number);
      onSent(number);
    },
    meta: { handled: true },
    onError: (error) => refuseForm(form, { message: describeError(error, UNEXPECTED), field: 'phone' }),
  });
  return (
    <Form form={form} onSend={send.mutateAsync} titleOf={() => null} className="max-w-md space-y-4">
      <TextField
        control={form.control}
        name="phone"
        label="Mobile number for text messages"
        type="tel"
        autoComplete="tel"
      />
      <SubmitButton control={form.control} tone="plain">
        Send code
      </SubmitButton>
    </Form>
  );
}

function PhoneCodeForm({ phone, onBack }: { phone: string; onBack: () => void }) {
  const form = useSchemaForm(codeSchema, { defaultValues: { code: '' } });
  const confirm = useMutation({
    mutationFn: ({ code }: { code: string }) => confirmPhone(phone, code),
    meta: { handled: true, invalidates: [queryKeys.reminders.all] },
    onSuccess: () => toast({ title: 'Number confirmed' }),
    onError: (error) => refuseForm(form, { message: describeError(error, UNEXPECTED), field: 'code' }),
  });
  return (
    <Form form={form} onSend={confirm.mutateAsync} titleOf={() => null} className="max-w-md space-y-4">
      <p className="text-fog">We texted a code to {phone}.</p>
      <CodeField control={form.control} name="code" label="6-digit code" digits={6} />
      <div className="flex flex-wrap gap-3">
        <SubmitButton control={form.control} tone="plain">
          Confirm
        </SubmitButton>
        <Button tone="quiet" onClick={onBack}>
          Change number
        </Button>
      </div>
    </Form>
  );
}
