import type { ReactNode } from 'react';

/** One requirement before paying, such as the ID check: open or done. */
export function Step({
  title,
  done,
  doneText,
  text,
  children,
}: {
  title: string;
  done: boolean;
  doneText: string;
  text: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className={`border-l-4 bg-booth p-5 ${done ? 'border-good' : 'border-warn'}`}>
      <h2 className="text-2xl">{title}</h2>
      <div aria-live="polite" className="mt-2 text-fog">
        {done ? <p className="font-semibold text-good">{doneText}</p> : <div className="mb-3">{text}</div>}
      </div>
      {done ? null : children}
    </section>
  );
}
