import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { inputStyle } from './field.tsx';

type Props = SelectHTMLAttributes<HTMLSelectElement> & {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
};

/** A labelled choice of a few, with its hint and its error, read together by a screen reader. */
export function SelectField({ label, hint, error = null, className = '', children, ...select }: Props) {
  const id = useId();
  const notes = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 block text-sm font-semibold">
        {label}
      </label>
      <select
        id={id}
        className={inputStyle}
        aria-invalid={error ? true : undefined}
        aria-describedby={notes || undefined}
        {...select}
      >
        {children}
      </select>
      {hint ? (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-dust">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} role="alert" className="mt-1.5 text-sm text-bad">
          {error}
        </p>
      ) : null}
    </div>
  );
}
