import type { ButtonHTMLAttributes } from 'react';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly tone?: 'signal' | 'plain' | 'quiet' | 'danger';
  readonly busy?: boolean;
};

const base =
  'inline-flex min-h-12 items-center justify-center gap-2 border-2 py-2.5 text-center font-bold transition-[color,background-color,border-color,translate] duration-150 active:not-disabled:translate-y-0.5 disabled:cursor-not-allowed disabled:opacity-45 aria-busy:opacity-100';
/** Styles of buttons, and of links that look like buttons. The transparent border becomes visible in forced colours. */
export const buttonStyle = {
  signal: `${base} border-transparent bg-signal px-6 text-ink hover:not-disabled:bg-chalk`,
  plain: `${base} border-edge bg-deck px-6 text-chalk hover:not-disabled:border-chalk`,
  quiet: `${base} border-transparent text-fog underline decoration-edge underline-offset-4 hover:not-disabled:text-chalk`,
  danger: `${base} border-bad px-6 text-bad hover:not-disabled:bg-bad hover:not-disabled:text-ink`,
} as const;

/** A button that is disabled while `busy`. */
export function Button({
  tone = 'signal',
  busy = false,
  className = '',
  disabled,
  type = 'button',
  children,
  ...rest
}: Props) {
  return (
    <button
      type={type}
      className={`${buttonStyle[tone]} ${className}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
      {...rest}
    >
      {busy ? <Meter /> : null}
      {children}
    </button>
  );
}

/** The busy indicator: three bars of a level meter. */
export function Meter() {
  return (
    <span className="meter flex h-4 items-end gap-[3px]" aria-hidden="true">
      <i className="h-4" />
      <i className="h-3" />
      <i className="h-4" />
    </span>
  );
}

/** The close icon. */
export function Cross() {
  return (
    <svg viewBox="0 0 16 16" className="size-4" aria-hidden="true">
      <path d="M2 2l12 12M14 2L2 14" stroke="currentColor" strokeWidth="2.5" fill="none" />
    </svg>
  );
}
