import { randomUUID } from 'node:crypto';
import { judgeLicence } from '#rules/identity.ts';
import { studioDate } from '#rules/studio-time.ts';
import type { LicenceReading } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';
import { requireProfile } from './profile.ts';
import { explainDecision } from './refuse-minor.ts';
import { type Decision, storeDecision } from './store-decision.ts';
import type { Services } from '../core/services.ts';

/** A stored decision with the reading and judgement it is based on. */
export type Verification = {
  readonly id: string;
  readonly reading: LicenceReading;
  readonly judgement: Decision['judgement'];
  /** Sentences shown to the customer. */
  readonly reasons: readonly string[];
  /** 'YYYY-MM-DD' from the profile that the licence was compared with. */
  readonly profileBirthDate: string | null;
};

/** Number of attempts when the profile keeps changing during the check. */
const DECIDE_TRIES = 3;

/**
 * Compares a reading with the profile and stores the decision. Tries again if the profile has changed in the meantime. `photo` is kept only
 * if the decision needs a review. Throws `Refusal('invalid_request')`.
 */
export async function decide(
  services: Services,
  userId: string,
  input: Pick<Decision, 'source' | 'reading' | 'sessionId'> & { photo: Uint8Array | null },
): Promise<Verification> {
  const { photo, ...rest } = input;
  for (let round = 0; round < DECIDE_TRIES; round += 1) {
    const profile = await requireProfile(services.db, userId);
    const judgement = judgeLicence({ ...rest, profile, today: studioDate(services.clock()) });
    // Keep the photo only if a person has to decide.
    const imageKey = judgement.decision === 'review' && photo !== null ? `review/${randomUUID()}.jpg` : null;
    if (imageKey !== null && photo !== null) await services.store.put(imageKey, photo);
    const id = await storeDecision(services, userId, { ...rest, judgement, profile, imageKey });
    if (id !== null) {
      const reasons = await explainDecision(services.db, judgement.reasons, rest.reading.dateOfBirth.iso);
      return { id, reading: rest.reading, judgement, reasons, profileBirthDate: profile.dateOfBirth };
    }
    if (imageKey !== null) await services.store.remove(imageKey);
  }
  throw new Refusal(
    'invalid_request',
    'Your name or date of birth changed while we were reading your ID. Please try again.',
  );
}
