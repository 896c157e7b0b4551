import { z } from 'zod';
import { isStudioDate } from '#rules/studio-time.ts';
import { defineCall } from '../core/define-call.ts';

const nameField = z.string().trim().min(1).max(100).nullable().optional();
const dateField = z.string().refine(isStudioDate, 'Not a date.').nullable().optional();

export const staffReviewId = defineCall({
  name: 'staff-review-id',
  summary:
    'Decides about an ID that waits for a person, and mails the customer. Repeating the same decision changes ' +
    'nothing; another decision is refused.',
  methods: ['POST'],
  callers: 'staff',
  permission: 'identity',
  limit: { max: 60, seconds: 60 },
  body: z
    .object({
      verificationId: z.uuid(),
      decision: z.enum(['approve', 'refuse', 'retake']).describe('`retake` asks the customer for another photo.'),
      reason: z.string().trim().min(1).max(500).nullable().default(null).describe('For the customer, in the mail.'),
      fields: z
        // A strict object, so that a correction under an unknown field name is refused instead of ignored.
        .strictObject({
          firstName: nameField,
          middleName: nameField,
          lastName: nameField,
          dateOfBirth: dateField,
          expiryDate: dateField,
        })
        .default({})
        .describe('Corrections of what was read from the ID. Fields that are left out stay.'),
    })
    .refine(({ decision, reason }) => decision !== 'refuse' || reason !== null, {
      path: ['reason'],
      message: 'Enter a reason for the customer.',
    }),
  answer: z.strictObject({ verificationId: z.uuid(), status: z.enum(['verified', 'failed']) }),
  refusals: {
    not_found: { message: 'ID check not found' },
    already_done: { message: 'A colleague has already decided about this ID.', decision: 'refuse' },
  },
  example: {
    body: {
      verificationId: '77777777-7777-4777-8777-777777777777',
      decision: 'approve',
      fields: { lastName: 'Chen' },
    },
    answer: { verificationId: '77777777-7777-4777-8777-777777777777', status: 'verified' },
  },
});
