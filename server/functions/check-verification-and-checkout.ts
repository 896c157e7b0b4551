import { z } from 'zod';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { readHostedCheck } from '#server/operations/identity/hosted-check.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

const LIMIT = { name: 'check-verification', max: 120, seconds: 60 };
const bodySchema = z.looseObject({
  verificationSessionId: z.string().regex(/^vs_[A-Za-z0-9_]{1,200}$/, 'not a verification session'),
});

/** Reads the state of a hosted check: `{verified, checkoutUrl, status, error?}`. */
export function checkVerificationAndCheckout(context: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { verificationSessionId } = parse(bodySchema, body);
      const result = await readHostedCheck(context.identity, userId, verificationSessionId);
      return json({
        verified: result.verified,
        status: result.status,
        checkoutUrl: result.verified ? '/checkout' : null,
        ...(result.error === null ? {} : { error: result.error }),
      });
    },
  };
}
