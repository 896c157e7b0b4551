import { staffReviewId as contract } from '#contracts/customers/staff-review-id.ts';
import { reviewId } from '#server/operations/identity/review.ts';
import { defineHandler } from '../handler.ts';
import { actorOf } from '../requests.ts';

export const staffReviewId = defineHandler(contract, async (services, { caller, body }) => {
  const { status } = await reviewId(services.customerClass, body, actorOf(caller));
  return { verificationId: body.verificationId, status };
});
