import { z } from 'zod';
import { proofFields } from '#contracts/core/fields.ts';
import { type AccountContext, removePhone as remove } from '#server/operations/customers/account.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'remove-phone', max: 10, seconds: 60 };
const bodySchema = z.object(proofFields);

/**
 * Removes the confirmed number of the caller's account: `{removed}`, false when there was none. Text reminders are off afterwards. An older
 * session also sends `currentPassword`, or as `nonce` a code of `/auth/v1/reauthenticate`.
 */
export function removePhone({ account }: { account: AccountContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const proof = parse(bodySchema, body);
      if (caller.sessionId === null) throw new Refusal('not_signed_in', 'Please sign in first.');
      return json({ removed: await remove(account, { userId, sessionId: caller.sessionId, proof }) });
    },
  };
}
