import { constants as studio } from '#rules/venue.ts';
import type { PictureDecoder } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';

/** Longest edge in pixels. Large enough to read the smallest print of a licence that fills the photo. */
const EDGE_MAX = 2_400;

/** Decodes `data:image/…;base64,…`. Throws `Refusal('image_refused')`. */
export function readDataUrl(text: string): Uint8Array {
  const match = /^data:image\/(?:jpeg|jpg|png|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const body = match?.[1];
  if (!body) throw unreadable();
  const bytes = Buffer.from(body, 'base64');
  if (bytes.byteLength > studio.idMaxBytes)
    throw new Refusal('image_refused', 'Please upload an image smaller than 10MB.');
  return bytes;
}

/**
 * Converts an uploaded photo to a JPEG without metadata, so that only pixels reach the reader. Throws `Refusal('image_refused')`, or
 * `provider_unavailable` if too many photos are waiting.
 */
export async function preparePhoto(pictures: Pick<PictureDecoder, 'repack'>, bytes: Uint8Array): Promise<Uint8Array> {
  const photo = looksLikeImage(bytes) ? await pictures.repack(bytes, EDGE_MAX) : 'unreadable';
  if (photo === 'unreadable') throw unreadable();
  if (photo === 'busy')
    throw new Refusal('provider_unavailable', 'We couldn’t read your ID just now. Please try again in a moment.');
  return photo;
}

function unreadable(): Refusal {
  return new Refusal('image_refused', 'We couldn’t read this photo. Please use a JPEG, PNG or WebP file.');
}

/** Recognises JPEG, PNG and WebP by their first bytes; the claimed type is ignored. */
function looksLikeImage(bytes: Uint8Array): boolean {
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  const jpeg = bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
  const png = bytes[0] === 0x89 && text(1, 4) === 'PNG';
  const webp = text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP';
  return jpeg || png || webp;
}
