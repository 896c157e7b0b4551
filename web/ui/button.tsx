import type { ButtonHTMLAttributes } from 'react';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly tone?: 'signal' | 'plain' | 'quiet' | 'danger';
  readonly busy?: boolean;
};

const base =
  'inline-flex min-h-12 items-center justify-center gap-2 px-6 py-3 font-semibold transition-colors disabled:opacity-45 disabled:cursor-not-allowed';
export const buttonStyle = {
  signal: `${base} bg-signal text-ink hover:bg-chalk`,
  plain: `${base} border border-line bg-deck text-chalk hover:border-chalk`,
  quiet: `${base} px-3 text-fog underline decoration-line underline-offset-4 hover:text-chalk`,
  danger: `${base} border border-bad text-bad hover:bg-bad hover:text-ink`,
} as const;

/** A button; while `busy` it cannot be pressed again and says so. */
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

/** Three bars of a level meter: something is going on. */
export function Meter() {
  return (
    <span className="meter flex h-4 items-end gap-[3px]" aria-hidden="true">
      <i className="h-4" />
      <i className="h-3" />
      <i className="h-4" />
    </span>
  );
}
