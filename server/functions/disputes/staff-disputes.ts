import { staffDisputes as contract } from '#contracts/disputes/staff-disputes.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { readDisputesAndHold } from '#server/operations/staff/read-disputes.ts';
import { defineHandler } from '../handler.ts';

export const staffDisputes = defineHandler(contract, async ({ access }: { access: AccessContext }, { body }) => {
  const { disputes, held } = await readDisputesAndHold(access, body.bookingId);
  return {
    disputes: disputes.map((dispute) => ({
      ...dispute,
      dueAt: dispute.dueAt?.toISOString() ?? null,
      openedAt: dispute.openedAt.toISOString(),
    })),
    held,
  };
});
