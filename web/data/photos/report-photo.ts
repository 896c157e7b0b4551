import { AppError, OFFLINE } from '#web/lib/errors.ts';
import { fetchClient } from '../fetch-client.ts';
import { PHOTO_TYPES } from './upload.ts';

const BUCKET = 'incidents';
const PHOTO_MAX = 10 * 1024 * 1024;
/** The file types for photos of a report, in the format of a file field. */
export const REPORT_PHOTO_TYPES = PHOTO_TYPES;

/** Uploads a photo for a report and returns its name. Only staff can see it. The server stores only its pixels. Throws `AppError`. */
export async function uploadReportPhoto(userId: string, photo: File): Promise<string> {
  const client = await fetchClient().catch(() => null);
  if (client === null) throw new AppError('offline', OFFLINE, 0);
  const name = `${userId}/${crypto.randomUUID()}.jpg`;
  const { error } = await client.storage.from(BUCKET).upload(name, photo, { contentType: photo.type });
  if (error)
    throw new AppError('upload', 'We couldn’t add the photo. Please try again, or send your report without it.', 0);
  return name;
}

/** Returns why a file cannot be a photo of a report; null if it can. */
export function photoProblem(file: File): string | null {
  if (!PHOTO_TYPES.split(',').includes(file.type)) return 'Choose a JPEG, PNG or WebP picture.';
  return file.size > PHOTO_MAX ? 'Choose a picture smaller than 10 MB.' : null;
}
