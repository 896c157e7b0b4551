import { settings as studio } from '#rules/venue.ts';
import type { PictureDecoder } from '#server/providers/ports.ts';
import { Refusal } from './core/refusal.ts';

/** Wide enough to read the smallest print of a licence that fills the picture. */
const EDGE_MAX = 2_400;

const REFUSED = 'This picture cannot be read. Please use a JPEG, PNG or WebP photo.';

/** Decodes `data:image/…;base64,…`. Throws `Refusal('image_refused')`. */
export function readDataUrl(text: string): Uint8Array {
  const match = /^data:image\/(?:jpeg|jpg|png|webp);base64,([A-Za-z0-9+/]+={0,2})$/.exec(text);
  const body = match?.[1];
  if (!body) throw new Refusal('image_refused', REFUSED);
  const bytes = Buffer.from(body, 'base64');
  if (bytes.byteLength > studio.idMaxBytes) throw new Refusal('image_refused', 'Image size must be less than 10MB');
  return bytes;
}

/**
 * Converts an uploaded picture to a JPEG without metadata, so that only pixels reach the reader. Throws
 * `Refusal('image_refused')`, or `provider_unavailable` when too many wait.
 */
export async function prepareImage(pictures: PictureDecoder, bytes: Uint8Array): Promise<Uint8Array> {
  const image = looksLikeImage(bytes) ? await pictures.repack(bytes, EDGE_MAX) : 'unreadable';
  if (image === 'unreadable') throw new Refusal('image_refused', REFUSED);
  if (image === 'busy')
    throw new Refusal('provider_unavailable', 'Your ID could not be read right now. Please try again in a moment.');
  return image;
}

/** Recognises JPEG, PNG and WebP by their first bytes; the claimed type is ignored. */
function looksLikeImage(bytes: Uint8Array): boolean {
  const text = (from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
  const jpeg = bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
  const png = bytes[0] === 0x89 && text(1, 4) === 'PNG';
  const webp = text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP';
  return jpeg || png || webp;
}
