import { z } from 'zod';

const side = z.coerce.number().int().min(1).max(2_500).optional();

/** A transformation as supabase-js requests it, in a query or in JSON. */
export const transformationSchema = z.object({
  width: side,
  height: side,
  resize: z.enum(['cover', 'contain', 'fill']).optional(),
  quality: z.coerce.number().int().min(20).max(100).optional(),
  format: z.enum(['origin', 'jpeg', 'png', 'webp', 'avif']).optional(),
});
export type Transformation = z.output<typeof transformationSchema>;
