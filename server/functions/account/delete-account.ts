import { deleteAccount as contract } from '#contracts/account/delete-account.ts';
import { type AccountContext, deleteAccount as remove } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { readOwnSession } from './own-session.ts';

type Context = { account: AccountContext };

export const deleteAccount = defineHandler(contract, async ({ account }: Context, { caller, body }) => {
  const { currentPassword, nonce } = body;
  const done = await remove(account, { ...readOwnSession(caller), proof: { currentPassword, nonce } });
  return { deleted: true as const, ...done };
});
