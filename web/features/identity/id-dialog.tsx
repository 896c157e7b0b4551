import { type ChangeEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { validateIdFile } from '#rules/identity.ts';
import { addDays, formatStudioDate, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { Button, Meter } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { Camera } from './camera.tsx';
import { readPicture } from './picture.ts';
import { createHostedCheck, REVIEW_DAYS, verifyId } from './queries.ts';

type Step =
  | { readonly name: 'id_photo'; readonly problem: string | null }
  | { readonly name: 'id_preview'; readonly picture: string }
  | { readonly name: 'verifying' }
  | { readonly name: 'success'; readonly id: string }
  | { readonly name: 'failed'; readonly reasons: readonly string[]; readonly decidedBy: StudioDate | null };

const FIRST: Step = { name: 'id_photo', problem: null };
/** The success picture stays so long before the dialog closes (spec section 9). */
const SUCCESS_MS = 1_500;

/** Shows a licence to the studio: photo, preview, verdict; with the hosted check as the other way in. */
export function IdDialog({
  open,
  onClose,
  onVerified,
}: {
  open: boolean;
  onClose: () => void;
  onVerified: (verificationId: string) => void;
}) {
  const [step, setStep] = useState<Step>(FIRST);
  const body = useRef<HTMLDivElement>(null);
  const finish = useEffectEvent((id: string) => {
    setStep(FIRST);
    onVerified(id);
  });
  useEffect(() => {
    // The button that was pressed is gone: without this the keyboard would start again at the top of the page.
    if (step !== FIRST) body.current?.focus();
    if (step.name !== 'success') return;
    const timer = setTimeout(() => finish(step.id), SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [step]);

  async function choose(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (!file) return;
    const wrong = validateIdFile(file);
    if (wrong !== null) return setStep({ name: 'id_photo', problem: wrong });
    try {
      return setStep({ name: 'id_preview', picture: await readPicture(file) });
    } catch (error) {
      const problem = describeError(error, 'Failed to capture image. Please try again.');
      return setStep({ name: 'id_photo', problem });
    }
  }

  async function send(picture: string): Promise<void> {
    setStep({ name: 'verifying' });
    try {
      const result = await verifyId(picture);
      const decidedBy = result.decision === 'review' ? addDays(studioDate(new Date()), REVIEW_DAYS) : null;
      if (result.decision !== 'verified') return setStep({ name: 'failed', reasons: result.failureReasons, decidedBy });
      toast({ title: 'ID Verified' });
      return setStep({ name: 'success', id: result.verificationId });
    } catch (error) {
      const reason = describeError(error, 'Verification failed. Please try again.');
      return setStep({ name: 'failed', reasons: [reason], decidedBy: null });
    }
  }

  return (
    <Dialog open={open} title="ID Verification" onClose={onClose}>
      <div ref={body} tabIndex={-1} className="outline-none">
        {step.name === 'id_photo' ? (
          <Photo
            problem={step.problem}
            onPicture={(picture) => setStep({ name: 'id_preview', picture })}
            onFile={(event) => void choose(event)}
          />
        ) : null}
        {step.name === 'id_preview' ? (
          <div className="space-y-4">
            <img
              src={step.picture}
              alt="Your licence, as photographed"
              className="max-h-[45dvh] w-full object-contain"
            />
            <p className="text-fog">Can you read every word? Then we can too.</p>
            <div className="flex flex-wrap gap-3">
              <Button onClick={() => void send(step.picture)}>Verify my ID</Button>
              <Button tone="plain" onClick={() => setStep(FIRST)}>
                Take another
              </Button>
            </div>
            <p className="text-sm text-fog">
              Pressing Verify my ID agrees that we read your name, date of birth and expiry from this photo.
            </p>
          </div>
        ) : null}
        {step.name === 'verifying' ? (
          <output className="flex flex-col items-center gap-4 py-12 text-signal">
            <Meter />
            <span className="text-fog">Reading your ID. This takes a few seconds.</span>
          </output>
        ) : null}
        {step.name === 'success' ? (
          <Notice tone="good">
            <p className="text-xl font-bold">ID Verified</p>
          </Notice>
        ) : null}
        {step.name === 'failed' ? (
          <Failed reasons={step.reasons} decidedBy={step.decidedBy} onRetry={() => setStep(FIRST)} />
        ) : null}
      </div>
    </Dialog>
  );
}

function Photo({
  problem,
  onPicture,
  onFile,
}: {
  problem: string | null;
  onPicture: (picture: string) => void;
  onFile: (event: ChangeEvent<HTMLInputElement>) => void;
}) {
  const [camera, setCamera] = useState(false);
  return (
    <div className="space-y-4">
      <p className="text-fog">
        Photograph the front of your Australian driver licence. Name and date of birth must match your account.
      </p>
      {problem ? (
        <Notice tone="bad">
          <p>{problem}</p>
        </Notice>
      ) : null}
      {camera ? <Camera onPicture={onPicture} /> : null}
      <div className="flex flex-wrap gap-3">
        {camera ? null : <Button onClick={() => setCamera(true)}>Use camera</Button>}
        <label className="inline-flex min-h-12 cursor-pointer items-center border border-line bg-deck px-6 font-semibold has-[:focus-visible]:outline-3 has-[:focus-visible]:outline-offset-3 has-[:focus-visible]:outline-signal hover:border-chalk">
          Upload a photo
          <input type="file" accept="image/*" className="sr-only" onChange={onFile} />
        </label>
      </div>
      <Notice tone="warn">
        <p className="text-sm">
          A mismatch may cause a permanent ban and cancellation without refund. A person looks before anything like that
          happens.
        </p>
      </Notice>
      <p className="text-sm text-fog">
        What we collect: your name, date of birth and expiry, read from the photo to check that it is you and that you
        are 18 or older. The photo is deleted as soon as that is decided; if a person has to look at it, within{' '}
        {REVIEW_DAYS} days. It is never shown to other customers.
      </p>
    </div>
  );
}

function Failed({
  reasons,
  decidedBy,
  onRetry,
}: {
  reasons: readonly string[];
  /** Until when a person looks at the photo; null when nobody has to. */
  decidedBy: StudioDate | null;
  onRetry: () => void;
}) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  useBackAgain(() => setBusy(false));

  /** Spec section 4: a verification session is created, its ids are stored, and /verify-complete leads to it. */
  async function openHosted(): Promise<void> {
    setBusy(true);
    try {
      const draft = drafts.booking();
      const session = await createHostedCheck(draft);
      drafts.keepVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      if (draft === null) leaveTo(session.verificationUrl);
      else void navigate(paths.verifyComplete, { state: { goOn: true } });
    } catch (error) {
      setBusy(false);
      const description = describeError(error, 'Failed to start verification. Please try again.');
      toast({ title: 'Failed to start verification', description, tone: 'bad' });
    }
  }

  return (
    <div className="space-y-4">
      <Notice tone={decidedBy ? 'warn' : 'bad'}>
        <ul className="space-y-1">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
        {decidedBy ? (
          <p className="mt-3 text-sm">
            We kept your photo for a person to look at: that is done by {formatStudioDate(decidedBy)}, and then the
            photo is deleted. You need not wait: try again with a sharper photo, or use the hosted check now.
          </p>
        ) : null}
      </Notice>
      <div className="flex flex-wrap gap-3">
        <Button onClick={onRetry}>Try Again</Button>
        <Button tone="plain" busy={busy} onClick={() => void openHosted()}>
          Use the hosted check
        </Button>
      </div>
      <p className="text-sm text-fog">
        The hosted check looks at your licence and your face on a page of our identity service, and takes about two
        minutes.
      </p>
    </div>
  );
}
