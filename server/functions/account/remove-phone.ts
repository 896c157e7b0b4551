import { removePhone as contract } from '#contracts/account/remove-phone.ts';
import { removePhone as remove } from '#server/operations/customers/account.ts';
import { defineHandler } from '../handler.ts';
import { readOwnSession } from './own-session.ts';

export const removePhone = defineHandler(contract, async (services, { caller, body }) => ({
  removed: await remove(services.customerClass, { ...readOwnSession(caller), proof: body }),
}));
