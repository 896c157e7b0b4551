import type { Identity } from '#server/operations/identity.ts';
import { json, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-verification-session', max: 5, seconds: 3600 };

/** Starts a hosted identity check: `{verificationSessionId, verificationUrl}`. The draft of the booking stays in the browser. */
export function createVerificationSession(context: { identity: Identity }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller }) {
      const { userId, email } = signedIn(caller);
      const session = await context.identity.beginHosted(userId, email);
      return json({ verificationSessionId: session.id, verificationUrl: session.url });
    },
  };
}
