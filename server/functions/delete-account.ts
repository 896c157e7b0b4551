import { z } from 'zod';
import { proofFields } from '#contracts/core/fields.ts';
import { type AccountContext, deleteAccount as remove } from '#server/operations/customers/account.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import type { ServerFunction } from './function.ts';
import { parse, signedIn } from './requests.ts';
import { json } from './responses.ts';

const LIMIT = { name: 'delete-account', max: 10, seconds: 60 };
const bodySchema = z.object({ confirm: z.literal('DELETE'), ...proofFields });

/**
 * Deletes the caller's account: `{deleted, kept, keptUntil}` with the number of paid bookings that tax law keeps, and until which day. An older
 * session also sends `currentPassword`, or as `nonce` a code of `/auth/v1/reauthenticate`.
 */
export function deleteAccount({ account }: { account: AccountContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'signed-in',
    limit: LIMIT,
    async handle({ caller, body }) {
      const { userId } = signedIn(caller);
      const { currentPassword, nonce } = parse(bodySchema, body);
      if (caller.sessionId === null) throw new Refusal('not_signed_in', 'Please sign in first.');
      const proof = { currentPassword, nonce };
      const done = await remove(account, { userId, sessionId: caller.sessionId, proof });
      return json({ deleted: true, ...done });
    },
  };
}
