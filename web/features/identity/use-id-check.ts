import { useMutation } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { validateIdFile } from '#rules/identity.ts';
import { addDays, type StudioDate, studioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { useSession } from '#web/data/session.tsx';
import { describeError, isRefused } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { readPicture } from './picture.ts';
import { idQueries, type IdResult, verifyId } from './queries.ts';

/** The steps of the ID dialog. */
export type Step =
  | { readonly name: 'id_photo'; readonly problem: string | null }
  | { readonly name: 'id_preview'; readonly picture: string }
  | { readonly name: 'verifying' }
  | { readonly name: 'success'; readonly id: string }
  | {
      readonly name: 'failed';
      readonly reasons: readonly string[];
      readonly decidedBy: StudioDate | null;
      /** The name on the ID, if it is the only difference from the account; null otherwise. */
      readonly nameOnId: string | null;
      /** The photo that was checked. */
      readonly picture: string;
      /** True when no other photo or check can change the result. */
      readonly isFinal: boolean;
      /** False if there is no hosted check. True also if that is unknown. */
      readonly hostedCheck: boolean;
    };

const FAILED = 'Verification failed. Please try again.';
const FIRST = { name: 'id_photo', problem: null } as const;
/** Milliseconds for which the success is shown before the dialog closes. */
const SUCCESS_MS = 1_500;

/** Holds the steps of the ID dialog. Calls `onVerified` with the verification id after the success was shown. */
export function useIdCheck(onVerified: (verificationId: string) => void) {
  const { user } = useSession();
  const [step, setStep] = useState<Step>(FIRST);
  const check = useMutation({
    mutationFn: async (picture: string) => {
      if (!user) throw new Error('Not authenticated');
      return verifyId(picture);
    },
    meta: { handled: true, invalidates: idQueries },
    onMutate: () => setStep({ name: 'verifying' }),
    onSuccess: (result, picture) => {
      if (result.decision === 'verified') toast({ title: 'ID Verified' });
      setStep(stepAfter(result, picture));
    },
    onError: (error, picture) => {
      const isFinal = isRefused<'verify-id'>(error, 'age_required');
      const reasons = [describeError(error, FAILED)];
      setStep({ name: 'failed', reasons, decidedBy: null, nameOnId: null, picture, isFinal, hostedCheck: true });
    },
  });
  const finish = useEffectEvent((id: string) => {
    setStep(FIRST);
    onVerified(id);
  });
  useEffect(() => {
    if (step.name !== 'success') return;
    const timer = setTimeout(() => finish(step.id), SUCCESS_MS);
    return () => clearTimeout(timer);
  }, [step]);
  return {
    step,
    choose: (file: File): void => void openFile(file).then(setStep),
    send: (picture: string) => check.mutate(picture),
    preview: (picture: string) => setStep({ name: 'id_preview', picture }),
    again: () => setStep(FIRST),
  };
}

/** Opens a chosen file for the preview, or reports what is wrong with it. */
async function openFile(file: File): Promise<Step> {
  const wrong = validateIdFile(file);
  if (wrong !== null) return { name: 'id_photo', problem: wrong };
  try {
    return { name: 'id_preview', picture: await readPicture(file) };
  } catch (error) {
    return { name: 'id_photo', problem: describeError(error, 'Failed to capture image. Please try again.') };
  }
}

function stepAfter(result: IdResult, picture: string): Step {
  if (result.decision === 'verified') return { name: 'success', id: result.verificationId };
  return {
    name: 'failed',
    reasons: result.failureReasons.length > 0 ? result.failureReasons : [FAILED],
    decidedBy: result.decision === 'review' ? addDays(studioDate(new Date()), constants.idReviewDays) : null,
    nameOnId:
      result.decision === 'review' && result.nameMatchStatus !== 'match' && result.dobMatches
        ? result.extractedData.fullName
        : null,
    picture,
    isFinal: result.isFinal,
    hostedCheck: result.hostedCheck,
  };
}
