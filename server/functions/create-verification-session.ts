import type { Identity } from '#server/operations/identity.ts';
import { json, signedIn } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-verification-session', max: 5, seconds: 3600 };

/** Begins a hosted identity check: `{verificationSessionId, verificationUrl}`. What is to be booked stays with the browser and its draft. */
export function createVerificationSession(parts: { identity: Identity }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller }) {
      const { userId, email } = signedIn(caller);
      const session = await parts.identity.beginHosted(userId, email);
      return json({ verificationSessionId: session.id, verificationUrl: session.url });
    },
  };
}
