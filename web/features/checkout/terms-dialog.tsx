import { type UIEvent, useEffect, useRef, useState } from 'react';
import { useTexts } from '#web/data/texts.ts';
import { TermsText } from '#web/lib/business/terms-text.tsx';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Loaded } from '#web/ui/progress.tsx';

/** The terms count as read when the reader has scrolled to within this distance from the end. */
const TOLERANCE_PX = 50;

/**
 * Shows the terms. The checkbox is enabled after scrolling to the end, or at once if the text needs no scrolling. Accepting applies to the
 * version that is shown.
 */
export function TermsDialog({
  open,
  accepted,
  onClose,
  onAccept,
}: {
  open: boolean;
  accepted: boolean;
  onClose: () => void;
  onAccept: (version: string | null) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [readVersion, setReadVersion] = useState<string | null>(null);
  const texts = useTexts();
  const shown = texts.data?.termsVersion ?? null;
  const read = shown !== null && readVersion === shown;
  useEffect(() => {
    const region = box.current;
    if (open && shown !== null && region && region.scrollHeight <= region.clientHeight + TOLERANCE_PX)
      setReadVersion(shown);
  }, [open, shown]);
  const onScroll = (event: UIEvent<HTMLDivElement>): void => {
    const region = event.currentTarget;
    if (region.scrollTop + region.clientHeight >= region.scrollHeight - TOLERANCE_PX) setReadVersion(shown);
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
        <Loaded query={texts} what="the terms" skeleton="h-64">
          {(current) => <TermsText {...current} />}
        </Loaded>
      </div>
      <label className={`mt-4 flex min-h-11 items-center gap-3 ${read ? '' : 'text-dust'}`}>
        <input
          type="checkbox"
          className="size-5 accent-signal"
          disabled={!read}
          checked={accepted}
          onChange={(event) => onAccept(event.target.checked ? shown : null)}
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
