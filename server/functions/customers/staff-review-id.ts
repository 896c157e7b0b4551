import { staffReviewId as contract } from '#contracts/customers/staff-review-id.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { reviewId } from '#server/operations/identity/review.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffReviewId = defineHandler(
  contract,
  async ({ identity }: { identity: IdentityContext }, { caller, body }) => {
    const { status } = await reviewId(identity, body, actorOf(caller));
    return { verificationId: body.verificationId, status };
  },
);
