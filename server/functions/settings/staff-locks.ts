import { staffLocks as contract } from '#contracts/settings/staff-locks.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { listLocks } from '#server/operations/settings/room-locks.ts';
import { defineHandler } from '../handler.ts';

export const staffLocks = defineHandler(contract, async ({ access }: { access: AccessContext }) => ({
  locks: await listLocks(access),
}));
