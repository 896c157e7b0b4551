import { Check } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import type { NameFields } from './name.ts';

export type CustomerFields = NameFields & { readonly email: string; readonly phone: string };
export type CustomerField = 'first' | 'last' | 'email' | 'phone';
/** First failing rule and its field. */
export type FieldProblem = { readonly field: CustomerField; readonly message: string };

/** Fields for name, email and phone, prefilled from the account. */
export function CustomerFieldset({
  value,
  disabled,
  problem,
  onChange,
}: {
  value: CustomerFields;
  disabled: boolean;
  problem: FieldProblem | null;
  onChange: (value: CustomerFields) => void;
}) {
  const bind = (name: CustomerField) => ({
    name,
    value: value[name],
    required: true,
    onChange: (event: { target: { value: string } }) => onChange({ ...value, [name]: event.target.value }),
    error: problem?.field === name ? problem.message : null,
  });
  return (
    <fieldset className="space-y-4" disabled={disabled}>
      <legend className="poster mb-3 text-2xl">You</legend>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          {...bind('first')}
          label={value.oneName ? 'Name' : 'First name'}
          hint="As on your Australian ID"
          autoComplete={value.oneName ? 'name' : 'given-name'}
        />
        {value.oneName ? null : <Field {...bind('last')} label="Last name" autoComplete="family-name" />}
      </div>
      <Check checked={value.oneName} onChange={(event) => onChange({ ...value, oneName: event.target.checked })}>
        I have one name
      </Check>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field {...bind('email')} label="Email" type="email" autoComplete="email" />
        <Field {...bind('phone')} label="Phone" type="tel" autoComplete="tel" />
      </div>
    </fieldset>
  );
}
