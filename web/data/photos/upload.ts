import { FAILED, readFailure } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';
import { apiUrl, publicKey } from '../server.ts';

/** The file extensions that the bucket accepts. */
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };
/** The file types for photos, in the format of a file field. */
export const PHOTO_TYPES = Object.keys(ENDINGS).join(',');

/**
 * Uploads a public photo and returns its name. `onProgress` receives a fraction from 0 to 1. Uses XMLHttpRequest, because `fetch` does not
 * report upload progress.
 */
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
