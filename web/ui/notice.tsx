import type { ReactNode } from 'react';
import { Meter } from './button.tsx';

/** What happened and what to do, in place. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'good' | 'plain'; children: ReactNode }) {
  const edge = { bad: 'border-bad', warn: 'border-warn', good: 'border-good', plain: 'border-line' }[tone];
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`border-l-4 bg-deck p-4 ${edge}`}>
      {children}
    </div>
  );
}

/** A page that is still thinking. */
export function Waiting({ label }: { label: string }) {
  return (
    <div role="status" className="flex min-h-[40dvh] flex-col items-center justify-center gap-4 text-signal">
      <Meter />
      <p className="text-fog">{label}</p>
    </div>
  );
}
