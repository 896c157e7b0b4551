import { checkVerificationAndCheckout as contract } from '#contracts/identity/check-verification-and-checkout.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { readHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { readonly identity: IdentityContext };

export const checkVerificationAndCheckout = defineHandler(contract, async ({ identity }: Context, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { verified, status, error } = await readHostedCheck(identity, userId, body.verificationSessionId);
  return {
    verified,
    status,
    checkoutUrl: verified ? ('/checkout' as const) : null,
    ...(error === null ? {} : { error }),
  };
});
