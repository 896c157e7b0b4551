import { type ComponentProps, type ReactNode, useId, useState } from 'react';

type Props = ComponentProps<'input'> & {
  readonly label: string;
  readonly badge?: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** Uses large type, for a code of a few digits. */
  readonly large?: boolean;
  /** The number of visible lines of a multi-line text; undefined for a single line. */
  readonly lines?: number;
};

/** The scroll margin keeps a focused field clear of a toast along the upper edge. */
export const inputStyle =
  'w-full min-h-12 scroll-mt-28 border border-edge bg-night px-4 py-3 text-chalk transition-colors placeholder:text-dust hover:not-disabled:border-fog focus:border-signal disabled:cursor-not-allowed disabled:border-line disabled:text-dust read-only:not-[select]:text-fog aria-invalid:border-2 aria-invalid:border-bad';

/** A labelled input with its hint and its error. A screen reader reads them together. */
export function Field({ label, badge, hint, error = null, large = false, lines, className = '', ...input }: Props) {
  const id = useId();
  const notes = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ');
  const shared = {
    id,
    className: large ? `${inputStyle} text-center text-3xl font-bold tracking-[0.5em]` : inputStyle,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': notes || undefined,
  };
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1.5 flex flex-wrap items-center gap-2 text-sm font-semibold">
        {label}
        {badge ? <Badge>{badge}</Badge> : null}
      </label>
      {input.type === 'password' ? (
        <Password {...shared} {...input} />
      ) : lines === undefined ? (
        <input {...shared} {...input} />
      ) : (
        <textarea rows={lines} {...shared} {...toTextarea(input)} />
      )}
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

/** A password field whose text can be shown before it is sent. */
function Password(input: ComponentProps<'input'>) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <input {...input} type={shown ? 'text' : 'password'} className={`${inputStyle} pr-20`} />
      <button
        type="button"
        aria-label={`${shown ? 'Hide' : 'Show'} what you typed`}
        disabled={input.disabled}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 min-w-16 px-3 text-sm font-semibold text-fog underline hover:text-chalk"
      >
        {shown ? 'Hide' : 'Show'}
      </button>
    </div>
  );
}

/** Converts the properties of an input to those of a text area, which has the same events and values. */
function toTextarea(input: ComponentProps<'input'>): ComponentProps<'textarea'> {
  // Cast: forms register either element by what both have, which is name, value, events and ref.
  return input as unknown as ComponentProps<'textarea'>;
}

/** A small word next to a label, for something that must not be overlooked. */
export function Badge({ children }: { children: ReactNode }) {
  return <span className="bg-warn px-1.5 py-0.5 text-[11px] font-bold text-ink">{children}</span>;
}
