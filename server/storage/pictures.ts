import sharp from 'sharp';
import { storageErrors } from './errors.ts';

/** 25 million pixels: a phone's photo, not a bomb that unpacks to gigabytes (promises G20). */
const PIXELS_MAX = 25_000_000;
const FORMATS: ReadonlySet<string | undefined> = new Set(['jpeg', 'png', 'webp']);

/** A picture unpacked and packed again as JPEG, upright, without metadata: what is kept is pixels. Refuses anything else, whatever it calls itself. */
export async function reencode(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    const picture = sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error', animated: false });
    const { format } = await picture.metadata();
    if (!FORMATS.has(format)) throw storageErrors.picture();
    return await picture.rotate().flatten({ background: '#ffffff' }).jpeg({ quality: 90 }).toBuffer();
  } catch {
    throw storageErrors.picture(); // the decoder's reason is about the sender's file
  }
}
