/** The mark: a record whose needle stands at three o'clock. Takes the colour of the text around it. */
export function Mark({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 64 64" className={className} aria-hidden="true">
      <circle cx="32" cy="32" r="27" fill="none" stroke="currentColor" strokeWidth="7" />
      <path d="M32 32V16M32 32H61" stroke="currentColor" strokeWidth="7" fill="none" />
      <circle cx="32" cy="32" r="7" fill="currentColor" />
    </svg>
  );
}
