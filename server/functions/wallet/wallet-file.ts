import { walletFile as contract } from '#contracts/wallet/wallet-file.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { readPassFile } from '#server/operations/exports/wallet-pass.ts';
import type { Wallets } from '#server/providers/ports.ts';
import { defineHandler } from '../handler.ts';
import { fileOf } from '../responses.ts';

type Context = { booking: BookingContext; links: LinkSigner; wallets: Wallets };

export const walletFile = defineHandler(contract, async ({ booking, links, wallets }: Context, { url }) => {
  const token = url.searchParams.get('token') ?? '';
  const { file, name } = await readPassFile({ ...booking, links, wallets }, token);
  return fileOf(new Uint8Array(file), 'application/vnd.apple.pkpass', name);
});
