import { z } from 'zod';
import { isStudioDate } from '#rules/studio-time.ts';
import type { IdDecision, WaitingId } from './queries.ts';

const nameField = z.string().trim().max(100, 'Use at most 100 characters.');
const dateField = z.string().refine((text) => text === '' || isStudioDate(text), 'Enter a date.');

const typedSchema = z.object({
  decision: z.enum(['approve', 'refuse', 'retake']),
  firstName: nameField,
  middleName: nameField,
  lastName: nameField,
  dateOfBirth: dateField,
  expiryDate: dateField,
  reason: z.string().trim().max(500, 'Use at most 500 characters.'),
});
export type TypedReview = z.input<typeof typedSchema>;

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The schema of a decision. Values that were not corrected are not sent. */
export const reviewFormSchema = (read: WaitingId) =>
  typedSchema.transform(({ decision, reason, ...typed }, context): IdDecision => {
    if (decision === 'refuse' && reason === '') {
      context.addIssue({ code: 'custom', path: ['reason'], message: 'Enter a reason for the customer.' });
      return z.NEVER;
    }
    const before: Readonly<Record<string, string>> = toTyped(read);
    const changed = Object.entries(typed).filter(([field, text]) => text.trim() !== before[field]);
    return {
      decision,
      reason: decision === 'approve' ? null : orNull(reason),
      fields: Object.fromEntries(changed.map(([field, text]) => [field, orNull(text)])),
    };
  });

/** Returns the initial values of the form: what was read. */
export function toTyped(read: WaitingId): TypedReview {
  return {
    decision: 'approve',
    firstName: read.first_name ?? '',
    middleName: read.middle_name ?? '',
    lastName: read.last_name ?? '',
    dateOfBirth: read.date_of_birth ?? '',
    expiryDate: read.expiry_date ?? '',
    reason: '',
  };
}
