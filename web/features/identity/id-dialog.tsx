import { type ChangeEvent, useEffect, useState } from 'react';
import { validateIdFile } from '#rules/identity.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { Button, Meter } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { Camera } from './camera.tsx';
import { createHostedCheck, type IdResult, verifyId } from './queries.ts';

type Step =
  | { name: 'id_photo' }
  | { name: 'id_preview'; picture: string }
  | { name: 'verifying' }
  | { name: 'success'; id: string }
  | { name: 'failed'; reasons: readonly string[]; review: boolean };

/** The success picture stays so long before the dialog closes (spec section 9). */
const SUCCESS_MS = 1_500;

export function IdDialog({
  open,
  onClose,
  onVerified,
}: {
  open: boolean;
  onClose: () => void;
  onVerified: (verificationId: string) => void;
}) {
  const [step, setStep] = useState<Step>({ name: 'id_photo' });
  const [camera, setCamera] = useState(false);
  const [hosted, setHosted] = useState(false);

  useEffect(() => {
    if (step.name !== 'success') return;
    const timer = setTimeout(() => {
      onVerified(step.id);
      setStep({ name: 'id_photo' });
    }, SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [step, onVerified]);

  function choose(event: ChangeEvent<HTMLInputElement>): void {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (!file) return;
    const wrong = validateIdFile(file);
    if (wrong) return toast({ title: wrong, tone: 'bad' });
    const reader = new FileReader();
    reader.addEventListener('load', () =>
      typeof reader.result === 'string' ? setStep({ name: 'id_preview', picture: reader.result }) : undefined,
    );
    reader.addEventListener('error', () => toast({ title: 'Failed to capture image. Please try again.', tone: 'bad' }));
    reader.readAsDataURL(file);
  }

  async function send(picture: string): Promise<void> {
    setStep({ name: 'verifying' });
    try {
      const result: IdResult = await verifyId(await shrink(picture));
      if (result.decision === 'verified') {
        toast({ title: 'ID Verified' });
        setStep({ name: 'success', id: result.verificationId });
      } else setStep({ name: 'failed', reasons: result.failureReasons, review: result.decision === 'review' });
    } catch (error) {
      setStep({
        name: 'failed',
        reasons: [describeError(error, 'Verification failed. Please try again.')],
        review: false,
      });
    }
  }

  async function openHosted(): Promise<void> {
    setHosted(true);
    try {
      const session = await createHostedCheck(drafts.booking());
      drafts.keepVerification({ id: session.verificationSessionId, url: session.verificationUrl });
      window.location.assign(session.verificationUrl);
    } catch (error) {
      setHosted(false);
      toast({ title: describeError(error, 'Failed to start verification'), tone: 'bad' });
    }
  }

  return (
    <Dialog open={open} title="ID Verification" onClose={onClose}>
      {step.name === 'id_photo' ? (
        <div className="space-y-4">
          <p className="text-fog">
            Photograph the front of your Australian driver licence. Name and date of birth must match your account.
          </p>
          <Notice tone="warn">
            <p className="text-sm">
              A mismatch may cause a permanent ban and cancellation without refund. A person looks before anything like
              that happens.
            </p>
          </Notice>
          {camera ? <Camera onPicture={(picture) => setStep({ name: 'id_preview', picture })} /> : null}
          <div className="flex flex-wrap gap-3">
            {camera ? null : <Button onClick={() => setCamera(true)}>Use camera</Button>}
            <label className="inline-flex min-h-12 cursor-pointer items-center border border-line bg-deck px-6 font-semibold focus-within:outline-3 focus-within:outline-signal hover:border-chalk">
              Upload a photo
              <input type="file" accept="image/*" className="sr-only" onChange={choose} />
            </label>
          </div>
          <p className="text-sm text-dust">
            We read your name, date of birth and expiry from the photo to check that you are 18 or older. The photo is
            read on our own machine and deleted once decided; if a person has to look at it, it is deleted within 7
            days. By sending it you agree to this.
          </p>
        </div>
      ) : null}
      {step.name === 'id_preview' ? (
        <div className="space-y-4">
          <img src={step.picture} alt="Your licence, as photographed" className="w-full" />
          <p className="text-fog">Can you read every word? Then we can too.</p>
          <div className="flex flex-wrap gap-3">
            <Button onClick={() => void send(step.picture)}>Verify my ID</Button>
            <Button tone="plain" onClick={() => setStep({ name: 'id_photo' })}>
              Take another
            </Button>
          </div>
        </div>
      ) : null}
      {step.name === 'verifying' ? (
        <div role="status" className="flex flex-col items-center gap-4 py-12 text-signal">
          <Meter />
          <p className="text-fog">Reading your ID. This takes a few seconds.</p>
        </div>
      ) : null}
      {step.name === 'success' ? (
        <Notice tone="good">
          <p className="text-xl font-bold">ID Verified</p>
        </Notice>
      ) : null}
      {step.name === 'failed' ? (
        <div className="space-y-4">
          <Notice tone={step.review ? 'warn' : 'bad'}>
            <ul className="space-y-1">
              {step.reasons.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
            {step.review ? (
              <p className="mt-2 text-sm">
                We have kept your photo for a person to look at, within 7 days at most. You need not wait: try again, or
                use the hosted check now.
              </p>
            ) : null}
          </Notice>
          <div className="flex flex-wrap gap-3">
            <Button onClick={() => setStep({ name: 'id_photo' })}>Try Again</Button>
            <Button tone="plain" busy={hosted} onClick={() => void openHosted()}>
              Use the hosted check
            </Button>
          </div>
        </div>
      ) : null}
    </Dialog>
  );
}

const EDGE_MAX = 2_000;

/** A phone's photo is larger than reading needs, and slow to send at 3 a.m. on one bar. */
async function shrink(picture: string): Promise<string> {
  const image = new Image();
  image.src = picture;
  await image.decode();
  const scale = Math.min(1, EDGE_MAX / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.naturalWidth * scale);
  canvas.height = Math.round(image.naturalHeight * scale);
  const brush = canvas.getContext('2d');
  if (!brush) return picture;
  brush.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.9);
}
