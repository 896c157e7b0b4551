import { type UIEvent, useEffect, useRef, useState } from 'react';
import { terms } from '#rules/terms.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

/** Scrolling this close to the end counts as read. */
const TOLERANCE_PX = 50;

/** Shows the terms. The checkbox is enabled after scrolling to the end, or at once when nothing needs scrolling. */
export function TermsDialog({
  open,
  accepted,
  onClose,
  onAccept,
}: {
  open: boolean;
  accepted: boolean;
  onClose: () => void;
  onAccept: (yes: boolean) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [read, setRead] = useState(false);
  useEffect(() => {
    const region = box.current;
    if (open && region && region.scrollHeight <= region.clientHeight + TOLERANCE_PX) setRead(true);
  }, [open]);
  const onScroll = (event: UIEvent<HTMLDivElement>): void => {
    const region = event.currentTarget;
    if (region.scrollTop + region.clientHeight >= region.scrollHeight - TOLERANCE_PX) setRead(true);
  };
  return (
    <Dialog open={open} title="Terms & Conditions" onClose={onClose} wide>
      <div
        ref={box}
        onScroll={onScroll}
        // Focusable, so that the keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label="Terms and conditions, scroll to the end"
        className="max-h-[45dvh] space-y-4 overflow-y-auto border border-line bg-night p-4"
      >
        <p className="text-sm text-dust">Last updated: {terms.lastUpdated}</p>
        {terms.sections.map((section) => (
          <section key={section.title}>
            <h3 className="mb-1 text-lg">{section.title}</h3>
            <p className="text-sm text-fog">{section.text}</p>
          </section>
        ))}
      </div>
      <label className={`mt-4 flex min-h-11 items-center gap-3 ${read ? '' : 'text-dust'}`}>
        <input
          type="checkbox"
          className="size-5 accent-signal"
          disabled={!read}
          checked={accepted}
          onChange={(event) => onAccept(event.target.checked)}
        />
        I have read and accept the terms and conditions
      </label>
      {read ? null : <p className="mt-1 text-sm text-dust">Scroll to the end to accept.</p>}
      <Button className="mt-4 w-full" onClick={onClose} disabled={!accepted}>
        Done
      </Button>
    </Dialog>
  );
}
