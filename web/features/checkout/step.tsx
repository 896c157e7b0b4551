import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Skeleton } from '#web/ui/notice.tsx';

/** A requirement before the payment, such as the ID check. It is open until it is done, and then folded into one row. */
export function Step({
  title,
  loading,
  done,
  doneText,
  action = null,
  children,
}: {
  title: string;
  /** It is not known yet whether the requirement is met. */
  loading: boolean;
  done: boolean;
  doneText: ReactNode;
  /** A control to change what is done. */
  action?: ReactNode;
  children: ReactNode;
}) {
  const folded = done && !loading;
  return (
    <section
      aria-label={title}
      className={`border-l-4 bg-booth px-5 ${folded ? 'border-good py-3' : `py-5 ${loading ? 'border-line' : 'border-warn'}`}`}
    >
      <h2 className={folded ? 'sr-only' : 'mb-2 text-2xl'}>{title}</h2>
      <div aria-live="polite" className="text-fog">
        {loading ? (
          <Skeleton className="h-6 w-40" label="Loading" />
        ) : done ? (
          <div className="flex min-h-11 items-center gap-3">
            <Check aria-hidden="true" className="size-5 shrink-0 text-good" />
            <div className="min-w-0 grow font-semibold text-chalk">{doneText}</div>
            {action}
          </div>
        ) : (
          children
        )}
      </div>
    </section>
  );
}
