import { walletPass as contract } from '#contracts/wallet/wallet-pass.ts';
import { linkToPass } from '#server/operations/wallet/wallet-pass.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const walletPass = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  return { url: await linkToPass(services, { ...body, userId }) };
});
