import type { ComponentProps } from 'react';
import { type Control, type FieldValues, type Path, useController, useFormState } from 'react-hook-form';
import { Check, SelectField } from '../choice.tsx';
import { DateEntry } from '../date-entry.tsx';
import { Field } from '../field.tsx';
import { messageAt } from './use-schema-form.ts';

/** The form of a field and its name in the form. */
type Place<In extends FieldValues, Out> = { readonly control: Control<In, unknown, Out>; readonly name: Path<In> };
type Look<Props> = Omit<Props, 'name' | 'value' | 'defaultValue' | 'checked' | 'onChange' | 'onBlur' | 'ref' | 'error'>;

function useMessage<In extends FieldValues, Out>({ control, name }: Place<In, Out>): string | null {
  const { errors } = useFormState({ control, name });
  return messageAt(errors, name);
}

/** A text field. The browser holds the text, so that the field can be filled in before the script has loaded. */
export function TextField<In extends FieldValues, Out>({
  control,
  name,
  problem = null,
  ...look
}: Place<In, Out> &
  Look<ComponentProps<typeof Field>> & {
    /** A problem that is known before the form is sent. */
    readonly problem?: string | null;
  }) {
  const error = useMessage({ control, name });
  return <Field {...look} {...control.register(name)} error={error ?? problem} />;
}

/** A field for a code with a fixed number of digits. Accepts a pasted "123 456". */
export function CodeField<In extends FieldValues, Out>({
  control,
  name,
  digits,
  sends = false,
  ...look
}: Place<In, Out> &
  Look<ComponentProps<typeof Field>> & {
    digits: number;
    /** Whether typing the last digit sends the form. */
    sends?: boolean;
  }) {
  const { field } = useController({ control, name });
  const error = useMessage({ control, name });
  return (
    <Field
      inputMode="numeric"
      autoComplete="one-time-code"
      large
      {...look}
      {...field}
      onChange={({ target }) => {
        const typed = target.value.replace(/\D/g, '').slice(0, digits);
        field.onChange(typed);
        if (sends && typed.length === digits && typed !== field.value) target.form?.requestSubmit();
      }}
      error={error}
    />
  );
}

export function ChoiceField<In extends FieldValues, Out>({
  control,
  name,
  ...look
}: Place<In, Out> & Look<ComponentProps<typeof SelectField>>) {
  const { field } = useController({ control, name });
  const error = useMessage({ control, name });
  return <SelectField {...look} {...field} error={error} />;
}

export function CheckField<In extends FieldValues, Out>({
  control,
  name,
  ...look
}: Place<In, Out> & Look<ComponentProps<typeof Check>>) {
  const error = useMessage({ control, name });
  return <Check {...look} {...control.register(name)} error={error} />;
}

type Parts = Parameters<ComponentProps<typeof DateEntry>['onChange']>[0];

/** A date with day, month and year. `echo`: the date as understood so far; `problem`: what is wrong with it. */
export function DateField<In extends FieldValues, Out>({
  control,
  name,
  echo,
  problem,
  ...look
}: Place<In, Out> &
  Omit<ComponentProps<typeof DateEntry>, 'value' | 'onChange' | 'echo' | 'error' | 'refused' | 'firstInput'> & {
    echo: (parts: Parts) => string;
    problem: (parts: Parts) => string | null;
  }) {
  const { field } = useController({ control, name });
  const refused = useMessage({ control, name });
  const parts: Parts = field.value;
  return (
    <DateEntry
      {...look}
      firstInput={field.ref}
      echo={echo(parts)}
      error={problem(parts)}
      refused={refused}
      value={parts}
      onChange={field.onChange}
    />
  );
}
