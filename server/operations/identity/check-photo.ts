import { ProviderError } from '#server/providers/call.ts';
import { Refusal } from '../core/refusal.ts';
import type { IdentityContext } from './context.ts';
import { decide, type Verification } from './decide.ts';
import { preparePhoto } from './photo.ts';
import { requireProfile } from './profile.ts';
import { refuseMinor } from './refuse-minor.ts';

/**
 * Reads a photo of a licence, compares it with the profile and stores the decision. Throws `Refusal`: `age_required`, `image_refused`,
 * `invalid_request`, `too_many_requests`, `provider_unavailable`.
 */
export async function checkPhoto(context: IdentityContext, userId: string, bytes: Uint8Array): Promise<Verification> {
  await refuseMinor(context, userId);
  await requireProfile(context.db, userId);
  const { photo, reading } = await context.queue.run(userId, async () => {
    const photo = await preparePhoto(context.pictures, bytes);
    return { photo, reading: await context.reader.read(photo).catch(throwUnavailable) };
  });
  return decide(context, userId, { source: 'photo', reading, sessionId: null, photo });
}

function throwUnavailable(error: unknown): never {
  if (!(error instanceof ProviderError)) throw error;
  throw new Refusal(
    'provider_unavailable',
    'We couldn’t read your ID just now. Please try again, or use the online check.',
  );
}
