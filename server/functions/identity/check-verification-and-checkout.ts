import { checkVerificationAndCheckout as contract } from '#contracts/identity/check-verification-and-checkout.ts';
import { readHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const checkVerificationAndCheckout = defineHandler(contract, async (services, { caller, body }) => {
  const { userId } = signedIn(caller);
  const { verified, status, error } = await readHostedCheck(services.customerClass, userId, body.verificationSessionId);
  return {
    verified,
    status,
    checkoutUrl: verified ? ('/checkout' as const) : null,
    ...(error === null ? {} : { error }),
  };
});
