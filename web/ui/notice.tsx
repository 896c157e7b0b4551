import type { ReactNode } from 'react';
import { Button, Meter } from './button.tsx';

/** A notice in place: what happened and what to do. */
export function Notice({ tone, children }: { tone: 'bad' | 'warn' | 'good' | 'plain'; children: ReactNode }) {
  const edge = { bad: 'border-bad', warn: 'border-warn', good: 'border-good', plain: 'border-line' }[tone];
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`border-l-4 bg-deck p-4 sm:px-5 ${edge}`}>
      {children}
    </div>
  );
}

/** Shows in place that something could not be loaded, why if that is known, and a button that tries again. */
export function LoadFailed({ title, why, onRetry }: { title: string; why?: string | undefined; onRetry: () => void }) {
  return (
    <Notice tone="bad">
      <p>{title}</p>
      {why === undefined ? null : <p className="mt-1 text-sm text-fog">{why}</p>}
      <Button tone="plain" className="mt-3" onClick={onRetry}>
        Try again
      </Button>
    </Notice>
  );
}

/** Placeholder of a page that is loading. */
export function Waiting({ label }: { label: string }) {
  return (
    <output className="flex min-h-[40dvh] flex-col items-center justify-center gap-4 text-signal">
      <Meter />
      <span className="text-fog">{label}</span>
    </output>
  );
}

/** Empty state of a list. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="border border-dashed border-line px-5 py-10 text-center text-fog">{children}</div>;
}

/** Placeholder with the height of the content, so that the layout does not shift. */
export function Skeleton({ label, className }: { label: string; className: string }) {
  return <output aria-label={label} className={`skeleton block ${className}`} />;
}
