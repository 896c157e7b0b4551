import { useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Step } from './step.tsx';
import { TermsDialog } from './terms-dialog.tsx';

/**
 * The terms, which the customer has to read and accept before paying. `requests`: how often the server has required another version. If it
 * has, the terms open by default.
 */
export function TermsStep({
  accepted,
  requests,
  loading,
  onAccept,
}: {
  accepted: boolean;
  requests: number;
  /** It is not known yet whether the terms were accepted. */
  loading: boolean;
  onAccept: (version: string | null) => void;
}) {
  const [open, setOpen] = useState(requests > 0);
  return (
    <>
      <Step title="Terms" loading={loading} done={accepted} doneText="Terms accepted">
        <p className="mb-3">Please read and accept the terms.</p>
        <Button tone="plain" onClick={() => setOpen(true)}>
          Read the terms
        </Button>
      </Step>
      <TermsDialog open={open} accepted={accepted} onClose={() => setOpen(false)} onAccept={onAccept} />
    </>
  );
}
