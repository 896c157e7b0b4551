import { FAILED, readFailure } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';
import { apiUrl, publicKey } from '../server.ts';

/** The endings that the bucket takes. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };
/** The types of photos, as a file field lists them. */
export const PHOTO_TYPES = Object.keys(ENDINGS).join(',');

/** Uploads a photo that everybody may see and returns its name. `onProgress` gets a part of 1. `fetch` does not say how much it has sent. */
export async function uploadPhoto(photo: File, onProgress: (part: number) => void): Promise<string> {
  const { data } = await (await fetchClient()).auth.getSession();
  const name = `${crypto.randomUUID()}.${ENDINGS[photo.type] ?? 'jpg'}`;
  const request = new XMLHttpRequest();
  request.open('POST', `${apiUrl}/storage/v1/object/rooms/${name}`);
  request.setRequestHeader('apikey', publicKey);
  request.setRequestHeader('authorization', `Bearer ${data.session?.access_token ?? publicKey}`);
  request.setRequestHeader('content-type', photo.type);
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
  const sent = new Promise<void>((resolve, reject) => {
    request.addEventListener('load', () => resolve());
    request.addEventListener('error', () => reject(new Error(FAILED)));
  });
  request.send(photo);
  await sent;
  if (request.status >= 300) throw await readFailure(new Response(request.responseText, { status: request.status }));
  return name;
}
