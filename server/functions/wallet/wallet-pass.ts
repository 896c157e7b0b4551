import { walletPass as contract } from '#contracts/wallet/wallet-pass.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { linkToPass } from '#server/operations/exports/wallet-pass.ts';
import type { Wallets } from '#server/providers/ports.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { booking: BookingContext; links: LinkSigner; wallets: Wallets };

export const walletPass = defineHandler(contract, async ({ booking, links, wallets }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  return { url: await linkToPass({ ...booking, links, wallets }, { ...body, userId }) };
});
