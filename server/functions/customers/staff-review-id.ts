import { staffReviewId as contract } from '#contracts/customers/staff-review-id.ts';
import { reviewId } from '#server/operations/identity/review.ts';
import { defineHandler } from '../handler.ts';
import { getActor } from '../requests.ts';

export const staffReviewId = defineHandler(contract, async (services, { caller, body }) => {
  const { status } = await reviewId(services.customerClass, body, getActor(caller));
  return { verificationId: body.verificationId, status };
});
