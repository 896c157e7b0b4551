import { createVerificationSession as contract } from '#contracts/identity/create-verification-session.ts';
import { startHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

export const createVerificationSession = defineHandler(contract, async (services, { caller }) => {
  const { userId, email } = signedIn(caller);
  const session = await startHostedCheck(services.customerClass, userId, email);
  return { verificationSessionId: session.id, verificationUrl: session.url };
});
