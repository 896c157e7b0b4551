import { useEffect, useRef, useState } from 'react';
import { HeldUntil } from '#web/data/drafts/held-until.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { Button, Meter } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Progress } from '#web/ui/progress.tsx';
import { FailedStep } from './failed-step.tsx';
import { PhotoStep } from './photo-step.tsx';
import { useIdCheck } from './use-id-check.ts';

const WORDS = [
  'Reading your ID. This takes a few seconds.',
  'Still reading your ID. Small print takes a little longer.',
  'This is taking longer than usual. We have your photo, so please stay on this page.',
] as const;

/** Checks an ID in steps: photo, preview, result. The hosted check is the alternative. */
export function IdDialog({
  open,
  onClose,
  onVerified,
}: {
  open: boolean;
  onClose: () => void;
  onVerified: (verificationId: string) => void;
}) {
  const { step, choose, send, preview, again: retake } = useIdCheck(onVerified);
  const body = useRef<HTMLDivElement>(null);
  const [draft] = useState(drafts.booking);
  const began = useRef(step);
  useEffect(() => {
    // The pressed button has disappeared, so the focus moves to the dialog's body to stay inside the dialog.
    if (step !== began.current) body.current?.focus();
    began.current = step;
  }, [step]);

  return (
    <Dialog open={open} title="ID Verification" onClose={onClose}>
      <div ref={body} tabIndex={-1} className="outline-none">
        {draft === null ? null : (
          <div className="mb-4 text-sm empty:hidden">
            <HeldUntil draft={draft} />
          </div>
        )}
        {step.name === 'id_photo' ? <PhotoStep problem={step.problem} onPicture={preview} onFile={choose} /> : null}
        {step.name === 'id_preview' ? (
          <div className="space-y-4">
            <img
              src={step.picture}
              alt="Your licence, as photographed"
              className="max-h-[45dvh] w-full object-contain"
            />
            <p className="text-fog">Can you read every word? Then we can too.</p>
            <div className="flex flex-wrap gap-3">
              <Button onClick={() => send(step.picture)}>Verify my ID</Button>
              <Button tone="plain" onClick={retake}>
                Take another
              </Button>
            </div>
            <p className="text-sm text-fog">
              By pressing Verify my ID, you agree that we read your name, date of birth and expiry date from this photo.
            </p>
          </div>
        ) : null}
        {step.name === 'verifying' ? (
          <div className="flex min-h-64 flex-col items-center justify-center gap-4 text-center text-signal">
            <Meter />
            <p className="text-fog">
              <Progress on words={WORDS} />
            </p>
          </div>
        ) : null}
        {step.name === 'success' ? (
          <Notice tone="good">
            <p className="text-xl font-bold">ID Verified</p>
          </Notice>
        ) : null}
        {step.name === 'failed' ? (
          <FailedStep
            reasons={step.reasons}
            decidedBy={step.decidedBy}
            hostedCheck={step.hostedCheck}
            nameOnId={step.nameOnId}
            onCorrected={() => send(step.picture)}
            onRetry={step.isFinal ? null : retake}
          />
        ) : null}
      </div>
    </Dialog>
  );
}
