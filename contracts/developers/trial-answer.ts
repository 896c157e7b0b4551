import { z } from 'zod';

/** The limit that all tests of the lock system share. */
export const trialLimit = { name: 'test-igloohome', max: 60, seconds: 60 } as const;

/** The answer of a lock-system test: its result, or why the lock system refused. */
export const trialAnswer = <Found extends z.ZodRawShape>(found: Found) =>
  z.union([
    z.strictObject({ success: z.literal(true), message: z.string(), ...found }),
    z.strictObject({ success: z.literal(false), error: z.string() }),
  ]);
