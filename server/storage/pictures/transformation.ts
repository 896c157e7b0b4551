import { z } from 'zod';
import type { PictureJob } from './jobs.ts';

const side = z.coerce.number().int().min(1).max(2_500).optional();

/** How a picture is shown, as supabase-js asks for it, in an address or in JSON. */
export const transformationSchema = z.object({
  width: side,
  height: side,
  resize: z.enum(['cover', 'contain', 'fill']).optional(),
  quality: z.coerce.number().int().min(20).max(100).optional(),
  format: z.enum(['origin', 'jpeg', 'png', 'webp', 'avif']).optional(),
});
export type Transformation = z.output<typeof transformationSchema>;

/** What can be shown at all; told by its bytes. */
const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'heif'];
const QUALITY = 80;
/** Hosted Supabase's words for the three ways to fit (imgproxy's `resizing_type`), and the decoder's. */
const FITS = {
  cover: { told: 'fill', fit: 'cover' },
  contain: { told: 'fit', fit: 'inside' },
  fill: { told: 'force', fit: 'fill' },
} as const;
const OUTPUTS: Readonly<Record<string, PictureJob['output']>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/avif': 'avif',
};

/** Whether a stored type names a picture that can be written again in its own format. */
export const isPictureType = (contentType: string): boolean => ownOutput(contentType) !== undefined;

const ownOutput = (contentType: string): PictureJob['output'] | undefined =>
  OUTPUTS[contentType.split(';')[0]?.trim().toLowerCase() ?? ''];

/** The type of a picture by its first bytes, for objects that were stored without one or as text; null for others. */
export function typeByBytes(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'image/webp' : null;
}

/** The job for a picture of this type. Without a wanted format it is WebP for whoever takes it, else the picture's own. */
export function jobOf(asked: Transformation, contentType: string, accept: string): Omit<PictureJob, 'bytes'> {
  const own = ownOutput(contentType) ?? 'png';
  const wanted = asked.format ?? (accept.includes('image/webp') ? 'webp' : 'origin');
  const sides = {
    ...(asked.width === undefined ? {} : { width: asked.width }),
    ...(asked.height === undefined ? {} : { height: asked.height }),
  };
  const sized = Object.keys(sides).length > 0;
  const resize = sized ? { ...sides, fit: FITS[asked.resize ?? 'cover'].fit } : null;
  return { formats: FORMATS, resize, output: wanted === 'origin' ? own : wanted, quality: asked.quality ?? QUALITY };
}

/** What was done, as the header `x-transformations` tells it (wire.md 4). */
export function describe({ width, height, resize, quality }: Transformation): string {
  const sized = width !== undefined || height !== undefined;
  return [
    height === undefined ? [] : [`height:${height}`],
    width === undefined ? [] : [`width:${width}`],
    sized || resize ? [`resizing_type:${FITS[resize ?? 'cover'].told}`] : [],
    quality === undefined ? [] : [`quality:${quality}`],
  ]
    .flat()
    .join(',');
}
