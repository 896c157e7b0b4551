import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Step } from './step.tsx';
import { TermsDialog } from './terms-dialog.tsx';

/** The terms, to be read and accepted before paying. */
export function TermsStep({
  accepted,
  disabled,
  onAccept,
}: {
  accepted: boolean;
  disabled: boolean;
  onAccept: (yes: boolean) => void;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Step title="Terms" done={accepted} doneText="Terms accepted" text={<p>Please read and accept the terms.</p>}>
        <Button tone="plain" onClick={() => setOpen(true)} disabled={disabled}>
          Read the terms
        </Button>
      </Step>
      <TermsDialog open={open} accepted={accepted} onClose={() => setOpen(false)} onAccept={onAccept} />
    </>
  );
}
