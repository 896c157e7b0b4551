import type { TakeLimit } from '#server/http/limits.ts';
import type { Identity } from '#server/operations/identity.ts';
import { json, signedIn, take } from './answers.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'create-verification-session', max: 5, seconds: 3600 };

/** Begins a hosted identity check: `{verificationSessionId, verificationUrl}`. What is to be booked stays with the browser and its draft. */
export function createVerificationSession(parts: { identity: Identity; limits: TakeLimit }): ServerFunction {
  return {
    methods: ['POST'],
    async handle({ caller }) {
      const { userId, email } = signedIn(caller);
      await take(parts.limits, LIMIT, `user:${userId}`);
      const session = await parts.identity.beginHosted(userId, email);
      return json({ verificationSessionId: session.id, verificationUrl: session.url });
    },
  };
}
