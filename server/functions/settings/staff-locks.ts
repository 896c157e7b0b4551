import { staffLocks as contract } from '#contracts/settings/staff-locks.ts';
import { listLocks } from '#server/operations/settings/room-locks.ts';
import { defineHandler } from '../handler.ts';

export const staffLocks = defineHandler(contract, async (services) => ({
  locks: await listLocks(services),
}));
