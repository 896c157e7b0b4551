import type { ReactNode } from 'react';
import { Meter } from './button.tsx';

/** What happened and what to do, in place. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'good' | 'plain'; children: ReactNode }) {
  const edge = { bad: 'border-bad', warn: 'border-warn', good: 'border-good', plain: 'border-line' }[tone];
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`border-l-4 bg-deck p-4 sm:px-5 ${edge}`}>
      {children}
    </div>
  );
}

/** A page that is still thinking. */
export function Waiting({ label }: { label: string }) {
  return (
    <output className="flex min-h-[40dvh] flex-col items-center justify-center gap-4 text-signal">
      <Meter />
      <span className="text-fog">{label}</span>
    </output>
  );
}

/** Nothing here yet: says so, and what to do about it. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="border border-dashed border-line px-5 py-10 text-center text-fog">{children}</div>;
}

/** Holds the place of what is on its way; as high as that will be, so that nothing jumps. */
export function Skeleton({ label, className }: { label: string; className: string }) {
  return <output aria-label={label} className={`skeleton block ${className}`} />;
}
