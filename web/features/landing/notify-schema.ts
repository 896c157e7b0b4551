import { z } from 'zod';
import { emailSchema } from '#rules/people.ts';

/** The schema of the form for news about the opening. */
export const notifySchema = z.object({ email: emailSchema.transform((email) => email.toLowerCase()) });
