import type { Transformation } from '../core/transformation.ts';
import type { PictureJob } from './jobs.ts';

/** The formats that can be transformed, detected from the bytes. */
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'heif'];
const QUALITY = 80;
/** Maps each resize mode to its name in hosted Supabase (imgproxy's `resizing_type`) and its name in the decoder. */
const FITS = {
  cover: { resizingType: 'fill', fit: 'cover' },
  contain: { resizingType: 'fit', fit: 'inside' },
  fill: { resizingType: 'force', fit: 'fill' },
} as const;
const OUTPUTS: ReadonlyMap<string, PictureJob['output']> = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/avif', 'avif'],
]);

/** Whether pictures of this stored type can be encoded in their own format. */
export const isPictureType = (contentType: string): boolean => ownOutput(contentType) !== undefined;

const ownOutput = (contentType: string): PictureJob['output'] | undefined =>
  OUTPUTS.get(contentType.split(';')[0]?.trim().toLowerCase() ?? '');

/** Detects a picture's type from its first bytes, for objects stored without a type or as text. Returns null for other types. */
export function typeByBytes(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

/**
 * Returns the job for a picture of this type. Without a requested format the output is WebP if the client accepts it, otherwise the
 * picture's own format.
 */
export function createJob(requested: Transformation, contentType: string, accept: string): Omit<PictureJob, 'bytes'> {
  const own = ownOutput(contentType) ?? 'png';
  const format = requested.format ?? (accept.includes('image/webp') ? 'webp' : 'origin');
  const sides = {
    ...(requested.width === undefined ? {} : { width: requested.width }),
    ...(requested.height === undefined ? {} : { height: requested.height }),
  };
  const sized = Object.keys(sides).length > 0;
  const resize = sized ? { ...sides, fit: FITS[requested.resize ?? 'cover'].fit } : null;
  const output = format === 'origin' ? own : format;
  return { formats: FORMATS, resize, output, quality: requested.quality ?? QUALITY };
}

/** Returns the value of the header `x-transformations`. */
export function describe({ width, height, resize, quality }: Transformation): string {
  const sized = width !== undefined || height !== undefined;
  return [
    height === undefined ? [] : [`height:${height}`],
    width === undefined ? [] : [`width:${width}`],
    sized || resize ? [`resizing_type:${FITS[resize ?? 'cover'].resizingType}`] : [],
    quality === undefined ? [] : [`quality:${quality}`],
  ]
    .flat()
    .join(',');
}
