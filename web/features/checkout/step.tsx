import type { ReactNode } from 'react';
import { Skeleton } from '#web/ui/notice.tsx';

/** One requirement before paying, such as the ID check: open or done. */
export function Step({
  title,
  loading,
  done,
  doneText,
  children,
}: {
  title: string;
  /** Whether it is done is not known yet. */
  loading: boolean;
  done: boolean;
  doneText: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={title}
      className={`border-l-4 bg-booth p-5 ${loading ? 'border-line' : done ? 'border-good' : 'border-warn'}`}
    >
      <h2 className="text-2xl">{title}</h2>
      <div aria-live="polite" className="mt-2 text-fog">
        {loading ? (
          <Skeleton className="h-6 w-40" label="Loading" />
        ) : done ? (
          <p className="font-semibold text-good">{doneText}</p>
        ) : (
          children
        )}
      </div>
    </section>
  );
}
