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

/** The job for a picture of this type. Without a wanted format it is WebP for whoever takes it, else the picture's own. */
export function jobOf(asked: Transformation, contentType: string, accept: string): Omit<PictureJob, 'bytes'> {
  const own = OUTPUTS[contentType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? 'png';
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
