import { removePhone as contract } from '#contracts/account/remove-phone.ts';
import { type AccountContext, removePhone as remove } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { readOwnSession } from './own-session.ts';

type Context = { account: AccountContext };

export const removePhone = defineHandler(contract, async ({ account }: Context, { caller, body }) => ({
  removed: await remove(account, { ...readOwnSession(caller), proof: body }),
}));
