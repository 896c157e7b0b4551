/** The logo: a record that is also a clock at three. Takes the colour of the surrounding text. */
export function Mark({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 64 64" className={className} aria-hidden="true">
      <circle cx="32" cy="32" r="27" fill="none" stroke="currentColor" strokeWidth="7" />
      <path d="M32 32V16M32 32H61" stroke="currentColor" strokeWidth="7" fill="none" />
      <circle cx="32" cy="32" r="7" fill="currentColor" />
    </svg>
  );
}

/** The logo with the name next to it, in two lines. */
export function Wordmark({ lines, className = '' }: { lines: readonly [string, string]; className?: string }) {
  return (
    <span className={`inline-flex items-center gap-[0.32em] leading-none ${className}`}>
      <Mark className="size-[1.7em] shrink-0 text-signal" />
      <span className="poster text-left leading-[0.84]">
        <span className="block">{lines[0]}</span>
        <span className="block">{lines[1]}</span>
      </span>
    </span>
  );
}
