import { staffDisputes as contract } from '#contracts/disputes/staff-disputes.ts';
import { readDisputesAndHold } from '#server/operations/staff/read-disputes.ts';
import { defineHandler } from '../handler.ts';

export const staffDisputes = defineHandler(contract, async (services, { body }) => {
  const { disputes, held } = await readDisputesAndHold(services, body.bookingId);
  return {
    disputes: disputes.map((dispute) => ({
      ...dispute,
      dueAt: dispute.dueAt?.toISOString() ?? null,
      openedAt: dispute.openedAt.toISOString(),
    })),
    held,
  };
});
