import { useEffect, useEffectEvent, useState } from 'react';
import { validateIdFile } from '#rules/identity.ts';
import { addDays, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { useSession } from '#web/data/session.tsx';
import { toast } from '#web/ui/toast.tsx';
import { readPicture } from './picture.ts';
import { REVIEW_DAYS, verifyId } from './queries.ts';

/** Steps of the ID dialog. */
export type Step =
  | { readonly name: 'id_photo'; readonly problem: string | null }
  | { readonly name: 'id_preview'; readonly picture: string }
  | { readonly name: 'verifying' }
  | { readonly name: 'success'; readonly id: string }
  | {
      readonly name: 'failed';
      readonly reasons: readonly string[];
      readonly decidedBy: StudioDate | null;
      /** True when no other photo or check can change the result. */
      readonly isFinal: boolean;
    };

const FAILED = 'Verification failed. Please try again.';
const FIRST: Step = { name: 'id_photo', problem: null };
/** How long the success is shown before the dialog closes. */
const SUCCESS_MS = 1_500;

/** Holds the steps of the ID dialog; calls `onVerified` with the verification id after the success was shown. */
export function useIdCheck(onVerified: (verificationId: string) => void) {
  const { user } = useSession();
  const [step, setStep] = useState<Step>(FIRST);
  const finish = useEffectEvent((id: string) => {
    setStep(FIRST);
    onVerified(id);
  });
  useEffect(() => {
    if (step.name !== 'success') return;
    const timer = setTimeout(() => finish(step.id), SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [step]);

  function refuse(problem: string): void {
    setStep({ name: 'id_photo', problem });
  }

  async function choose(file: File): Promise<void> {
    const wrong = validateIdFile(file);
    if (wrong !== null) return refuse(wrong);
    try {
      return setStep({ name: 'id_preview', picture: await readPicture(file) });
    } catch (error) {
      return refuse(describeError(error, 'Failed to capture image. Please try again.'));
    }
  }

  async function send(picture: string): Promise<void> {
    setStep({ name: 'verifying' });
    try {
      if (!user) throw new Error('Not authenticated');
      const result = await verifyId(picture);
      const decidedBy = result.decision === 'review' ? addDays(studioDate(new Date()), REVIEW_DAYS) : null;
      if (result.decision !== 'verified') {
        const reasons = result.failureReasons.length > 0 ? result.failureReasons : [FAILED];
        return setStep({ name: 'failed', reasons, decidedBy, isFinal: result.isFinal === true });
      }
      toast({ title: 'ID Verified' });
      return setStep({ name: 'success', id: result.verificationId });
    } catch (error) {
      const isFinal = errorCode(error) === 'age_required';
      return setStep({ name: 'failed', reasons: [describeError(error, FAILED)], decidedBy: null, isFinal });
    }
  }

  return {
    step,
    choose: (file: File) => void choose(file),
    send: (picture: string) => void send(picture),
    preview: (picture: string) => setStep({ name: 'id_preview', picture }),
    again: () => setStep(FIRST),
  };
}
