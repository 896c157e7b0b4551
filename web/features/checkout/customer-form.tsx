import { useState } from 'react';
import { type Control, useFormState, useWatch } from 'react-hook-form';
import type { Profile } from '#web/data/profile.ts';
import { saveTyped, readTyped } from '#web/lib/drafts.ts';
import { useFormDraft } from '#web/lib/use-form-draft.ts';
import { Button } from '#web/ui/button.tsx';
import { CheckField, TextField } from '#web/ui/form/fields.tsx';
import { Form } from '#web/ui/form/form.tsx';
import { type SchemaForm, useSchemaForm } from '#web/ui/form/use-schema-form.ts';
import { checkCustomer, type Customer, type CustomerFields, customerFormSchema, NO_CUSTOMER } from './customer.ts';
import { splitName } from './name.ts';
import { Step } from './step.tsx';

/** The id of the form. The pay button outside the form refers to it. */
export const CHECKOUT_FORM = 'checkout';

/** `prefilled`: all fields were already filled in when the form was first shown. */
type CustomerFormState = { readonly form: SchemaForm<CustomerFields, Customer>; readonly prefilled: boolean };

/** Creates the form of the customer. It starts with what was typed before a reload, otherwise with the profile. */
export function useCustomerForm(userId: string, profile: Profile | undefined): CustomerFormState {
  const draft = `checkout:${userId}`;
  const [kept] = useState(() => readTyped(draft, NO_CUSTOMER));
  const values = kept ?? toCustomerFields(profile);
  const form = useSchemaForm(customerFormSchema, { values });
  useFormDraft(form, (typed) => saveTyped(draft, typed));
  return { form, prefilled: 'customer' in checkCustomer(values) };
}

function toCustomerFields(profile: Profile | undefined): CustomerFields {
  if (profile === undefined) return NO_CUSTOMER;
  return { ...splitName(profile.full_name), email: profile.email ?? '', phone: profile.phone ?? '' };
}

/** Name, email and phone. If the account has them, they are shown in one row with Change; otherwise as fields. */
export function CustomerForm({
  form,
  prefilled,
  loading,
  disabled,
  onSend,
}: CustomerFormState & {
  loading: boolean;
  disabled: boolean;
  onSend: (customer: Customer) => unknown;
}) {
  const { control } = form;
  const [changing, setChanging] = useState(false);
  const { errors } = useFormState({ control });
  const folded = prefilled && !changing && Object.keys(errors).length === 0;
  const change = (): void => {
    setChanging(true);
    // The pressed button has disappeared, so the focus moves to the first field.
    requestAnimationFrame(() => form.setFocus('first'));
  };
  return (
    <Form form={form} onSend={onSend} id={CHECKOUT_FORM}>
      <Step
        title="You"
        loading={loading}
        done={folded}
        doneText={<Known control={control} />}
        action={
          <Button tone="quiet" disabled={disabled} onClick={change} aria-label="Change your details">
            Change
          </Button>
        }
      >
        <Fields control={control} disabled={disabled} />
      </Step>
    </Form>
  );
}

function Known({ control }: { control: Control<CustomerFields, unknown, Customer> }) {
  const { first, last, oneName, email, phone } = useWatch({ control });
  return (
    <>
      <p className="break-words">{oneName ? first : `${first} ${last}`}</p>
      <p className="text-sm font-normal break-words text-fog">{email}</p>
      <p className="text-sm font-normal text-fog">{phone}</p>
    </>
  );
}

function Fields({ control, disabled }: { control: Control<CustomerFields, unknown, Customer>; disabled: boolean }) {
  const oneName = useWatch({ control, name: 'oneName' });
  return (
    <fieldset className="space-y-4" disabled={disabled}>
      <legend className="sr-only">You</legend>
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
  );
}
