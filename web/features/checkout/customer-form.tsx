import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import type { Profile } from '#web/data/profile.ts';
import { saveTyped, readTyped } from '#web/lib/drafts.ts';
import { useFormDraft } from '#web/lib/use-form-draft.ts';
import { CheckField, TextField } from '#web/ui/form/fields.tsx';
import { Form } from '#web/ui/form/form.tsx';
import { type SchemaForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { type Customer, type CustomerFields, customerFormSchema, NO_CUSTOMER } from './customer.ts';
import { splitName } from './name.ts';

/** Id of the form, for the pay button, which is outside it. */
export const CHECKOUT_FORM = 'checkout';

/** Creates the form of the customer. It starts with what was typed before a reload, else with the profile. */
export function useCustomerForm(userId: string, profile: Profile | undefined): SchemaForm<CustomerFields, Customer> {
  const draft = `checkout:${userId}`;
  const [kept] = useState(() => readTyped(draft, NO_CUSTOMER));
  const form = useSchemaForm(customerFormSchema, { values: kept ?? customerOf(profile) });
  useFormDraft(form, (values) => saveTyped(draft, values));
  return form;
}

function customerOf(profile: Profile | undefined): CustomerFields {
  if (profile === undefined) return NO_CUSTOMER;
  return { ...splitName(profile.full_name), email: profile.email ?? '', phone: profile.phone ?? '' };
}

/** Fields for name, email and phone. */
export function CustomerForm({
  form,
  disabled,
  onSend,
}: {
  form: SchemaForm<CustomerFields, Customer>;
  disabled: boolean;
  onSend: (customer: Customer) => unknown;
}) {
  const { control } = form;
  const oneName = useWatch({ control, name: 'oneName' });
  return (
    <Form form={form} onSend={onSend} id={CHECKOUT_FORM}>
      <fieldset className="space-y-4" disabled={disabled}>
        <legend className="poster mb-3 text-2xl">You</legend>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            control={control}
            name="first"
            required
            label={oneName ? 'Name' : 'First name'}
            hint="As on your Australian ID"
            autoComplete={oneName ? 'name' : 'given-name'}
          />
          {oneName ? null : (
            <TextField control={control} name="last" required label="Last name" autoComplete="family-name" />
          )}
        </div>
        <CheckField control={control} name="oneName">
          I have one name
        </CheckField>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField control={control} name="email" required label="Email" type="email" autoComplete="email" />
          <TextField control={control} name="phone" required label="Phone" type="tel" autoComplete="tel" />
        </div>
      </fieldset>
    </Form>
  );
}
