import { z } from 'zod';
import { bookingIdField } from '#contracts/core/fields.ts';
import type { LinkSigner } from '#server/crypto/link-signer.ts';
import type { BookingContext } from '#server/operations/bookings/context.ts';
import { linkToPass, readPassFile, WALLET_KINDS } from '#server/operations/exports/wallet-pass.ts';
import type { Wallets } from '#server/providers/ports.ts';
import { parse, signedIn } from './requests.ts';
import { fileOf, json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'wallet-pass', max: 20, seconds: 60 };
const FILE_LIMIT = { name: 'wallet-file', max: 30, seconds: 60 };
const bodySchema = z.object({ bookingId: bookingIdField, kind: z.enum(WALLET_KINDS) });
type Context = { booking: BookingContext; links: LinkSigner; wallets: Wallets };

/** Answers where the phone gets the pass of an own confirmed booking: `{url}`. 409 `not_configured` where no keys are set. */
export function walletPass({ booking, links, wallets }: Context): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      return json({ url: await linkToPass({ ...booking, links, wallets }, { ...parse(bodySchema, body), userId }) });
    },
  };
}

/** The .pkpass file whose link `wallet-pass` made. By a link, because phones open a pass from an address and not from a script. */
export function walletFile({ booking, links, wallets }: Context): ServerFunction {
  return {
    methods: ['GET'],
    callers: 'link',
    limit: FILE_LIMIT,
    async handle({ url }) {
      const token = url.searchParams.get('token') ?? '';
      const { file, name } = await readPassFile({ ...booking, links, wallets }, token);
      return fileOf(new Uint8Array(file), 'application/vnd.apple.pkpass', name);
    },
  };
}
