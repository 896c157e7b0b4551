import { deleteAccount as contract } from '#contracts/account/delete-account.ts';
import { deleteAccount as remove } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { readOwnSession } from './own-session.ts';

export const deleteAccount = defineHandler(contract, async (services, { caller, body }) => {
  const { currentPassword, nonce } = body;
  const done = await remove(services.customerClass, { ...readOwnSession(caller), proof: { currentPassword, nonce } });
  return { deleted: true as const, ...done };
});
