import type { IdentityContext } from '#server/operations/identity/context.ts';
import { startHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-verification-session', max: 5, seconds: 3600 };

/** Starts a hosted identity check: `{verificationSessionId, verificationUrl}`. The draft of the booking stays in the browser. */
export function createVerificationSession(context: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller }) {
      const { userId, email } = signedIn(caller);
      const session = await startHostedCheck(context.identity, userId, email);
      return json({ verificationSessionId: session.id, verificationUrl: session.url });
    },
  };
}
