import { type ComponentProps, type ReactNode, useId } from 'react';
import { inputStyle } from './field.tsx';

type CheckProps = Omit<ComponentProps<'input'>, 'type'> & {
  readonly children: ReactNode;
  readonly error?: string | null;
};

/** A checkbox with its label, which can be pressed too. */
export function Check({ children, error = null, className = '', ...input }: CheckProps) {
  const id = useId();
  return (
    <div className={className}>
      <label className="flex min-h-11 items-start gap-3 py-2 has-disabled:text-dust">
        <input
          type="checkbox"
          className="mt-0.5 size-5 shrink-0 accent-signal disabled:cursor-not-allowed"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          {...input}
        />
        <span>{children}</span>
      </label>
      {error ? (
        <p id={`${id}-error`} role="alert" className="text-sm text-bad">
          {error}
        </p>
      ) : null}
    </div>
  );
}

type SelectProps = ComponentProps<'select'> & {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly error?: string | null;
};

/** A labelled native select. Phones show native selects best. */
export function SelectField({ label, options, error = null, className = '', ...select }: SelectProps) {
  const id = useId();
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        className={inputStyle}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        {...select}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {error ? (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      ) : null}
    </div>
  );
}

/** A row of a list of checkboxes. `struck`: the row cannot be chosen, and `value` is the reason. */
type CheckRow = {
  readonly key: string;
  readonly label: string;
  readonly detail: string;
  readonly value: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly struck: boolean;
};

/** A titled list of checkboxes, each with a value at the end of its row. */
export function CheckList({
  title,
  note,
  rows,
  onToggle,
}: {
  title: string;
  note: string;
  rows: readonly CheckRow[];
  onToggle: (key: string) => void;
}) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id}>
      <p id={id} className="mb-1 text-sm font-semibold">
        {title} <span className="font-normal text-dust">{note}</span>
      </p>
      <ul className="divide-y divide-line">
        {rows.map(({ key, label, detail, value, checked, disabled, struck }) => (
          <li key={key}>
            <label className="flex min-h-12 items-center gap-3 has-disabled:text-dust">
              <input
                type="checkbox"
                className="size-5 shrink-0 accent-signal disabled:cursor-not-allowed"
                checked={checked}
                disabled={disabled}
                onChange={() => onToggle(key)}
              />
              <span className={`min-w-0 flex-1 ${struck ? 'line-through' : ''}`}>
                {label}
                {detail === '' ? null : <span className="text-fog">{detail}</span>}
              </span>
              <span className="tabular-nums">{value}</span>
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}
