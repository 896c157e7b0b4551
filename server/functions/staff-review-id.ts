import { z } from 'zod';
import { isStudioDate } from '#rules/studio-time.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { reviewId } from '#server/operations/identity/review.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'staff-review-id', max: 60, seconds: 60 };
const nameField = z.string().trim().min(1).max(100).nullable().optional();
const dateField = z.string().refine(isStudioDate, 'Not a date.').nullable().optional();
const bodySchema = z
  .object({
    verificationId: z.uuid(),
    decision: z.enum(['approve', 'refuse', 'retake']),
    reason: z.string().trim().min(1).max(500).nullable().default(null),
    // A correction under another name must not be lost in silence.
    fields: z
      .strictObject({
        firstName: nameField,
        middleName: nameField,
        lastName: nameField,
        dateOfBirth: dateField,
        expiryDate: dateField,
      })
      .default({}),
  })
  .refine(({ decision, reason }) => decision !== 'refuse' || reason !== null, {
    path: ['reason'],
    message: 'Say why, for the customer.',
  });

/** Decides about an ID that waits for a person: `{verificationId, status}`. `fields` corrects what was read. */
export function staffReviewId({ identity }: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'identity',
    limit: LIMIT,
    async handle({ caller, body }) {
      const review = parse(bodySchema, body);
      const { status } = await reviewId(identity, review, actorOf(caller));
      return json({ verificationId: review.verificationId, status });
    },
  };
}
