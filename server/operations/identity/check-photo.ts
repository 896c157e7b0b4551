import { ProviderError } from '#server/providers/call.ts';
import { Refusal } from '../core/refusal.ts';
import { decide, type Verification } from './decide.ts';
import { preparePhoto } from './photo.ts';
import { requireProfile } from './profile.ts';
import { refuseMinor } from './refuse-minor.ts';
import type { Services } from '../core/services.ts';

/**
 * Reads a photo of a licence, compares it with the profile and stores the decision. Throws `Refusal`: `age_required`, `image_refused`,
 * `invalid_request`, `too_many_requests`, `provider_unavailable`.
 */
export async function checkPhoto(services: Services, userId: string, bytes: Uint8Array): Promise<Verification> {
  await refuseMinor(services, userId);
  await requireProfile(services.db, userId);
  const { photo, reading } = await services.checkQueue.run(userId, async () => {
    const photo = await preparePhoto(services.pictures, bytes);
    return { photo, reading: await services.idReader.read(photo).catch(throwUnavailable) };
  });
  return decide(services, userId, { source: 'photo', reading, sessionId: null, photo });
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  throw new Refusal(
    'provider_unavailable',
    'We couldn’t read your ID just now. Please try again, or use the online check.',
  );
}
