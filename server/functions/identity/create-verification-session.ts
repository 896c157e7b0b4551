import { createVerificationSession as contract } from '#contracts/identity/create-verification-session.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { startHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { defineHandler } from '../handler.ts';
import { signedIn } from '../requests.ts';

type Context = { readonly identity: IdentityContext };

export const createVerificationSession = defineHandler(contract, async ({ identity }: Context, { caller }) => {
  const { userId, email } = signedIn(caller);
  const session = await startHostedCheck(identity, userId, email);
  return { verificationSessionId: session.id, verificationUrl: session.url };
});
