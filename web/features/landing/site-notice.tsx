import { type ReactNode, useEffect, useState } from 'react';
import { useBusiness } from '#web/lib/business/business.ts';
import { NOTICE_ID, rememberNotice, wasRead } from '#web/lib/business/read-notice.ts';

/** Shows the notice of the business above a public page until the visitor closes it. A different notice is shown again. */
export function WithNotice({ children }: { children: ReactNode }) {
  const { notice } = useBusiness();
  const [closed, setClosed] = useState(false);
  // The pre-rendered page contains the notice. If it was closed, web/start.ts has hidden it there.
  // oxlint-disable-next-line react/set-state-in-effect
  useEffect(() => setClosed(wasRead(notice)), [notice]);
  if (notice === '') return children;
  return (
    <>
      {closed ? null : (
        <aside
          id={NOTICE_ID}
          data-notice={notice}
          aria-label="Notice"
          className="flex items-start justify-between gap-4 bg-signal px-4 py-1 text-ink sm:px-8"
        >
          <p className="py-2.5 font-semibold">{notice}</p>
          <button
            type="button"
            aria-label="Close the notice"
            className="grid size-11 shrink-0 place-items-center text-2xl leading-none hover:bg-ink hover:text-chalk"
            onClick={() => {
              rememberNotice(notice);
              setClosed(true);
            }}
          >
            <span aria-hidden="true">×</span>
          </button>
        </aside>
      )}
      {/* The navigation of the first page covers its picture but not the notice. */}
      <div className="relative">{children}</div>
    </>
  );
}
