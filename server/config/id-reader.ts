import { z } from 'zod';
import { address, type SandboxAddress, text, whole } from './fields.ts';

/** The environment variables for reading licence photos, spread into the schema in config.ts. */
export const idReaderFields = {
  ID_READER: z.enum(['ocr', 'openai', 'anthropic'], 'is ocr, openai or anthropic').default('ocr'),
  ID_READ_SECONDS: whole(1, 120).default(15),
  VISION_BASE_URL: address.optional(),
  VISION_API_KEY: text.optional(),
  VISION_MODEL: text.optional(),
};
type IdReaderEnvironment = z.output<z.ZodObject<typeof idReaderFields>>;

/** The vision model that reads licences, or null for OCR on this machine. */
export type VisionConfig = {
  readonly protocol: 'openai' | 'anthropic';
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
} | null;

export function readVisionConfig(env: IdReaderEnvironment, at: SandboxAddress): VisionConfig {
  if (env.ID_READER === 'ocr') return null;
  return {
    protocol: env.ID_READER,
    baseUrl: env.VISION_BASE_URL ?? `${at(4)}/v1`,
    apiKey: env.VISION_API_KEY ?? 'sandbox-vision',
    model: env.VISION_MODEL ?? 'specimen-reader',
  };
}
