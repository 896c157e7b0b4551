import { z } from 'zod';
import { bookingIdField, reasonField } from '#contracts/core/fields.ts';
import type { IdentityContext } from '#server/operations/identity/context.ts';
import { keepWithoutId } from '#server/operations/identity/missing-ids.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import type { ServerFunction } from './function.ts';
import { actorOf, parse } from './requests.ts';
import { json } from './responses.ts';

const withdrawSchema = z.object({ userId: z.uuid(), reason: reasonField });
const keepSchema = z.object({ bookingId: bookingIdField, reason: reasonField });

/** Withdraws the verified ID of a customer, who gets the reason by mail: `{withdrawn: true}`. */
export function staffWithdrawId({ identity }: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'identity',
    limit: { name: 'staff-withdraw-id', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      await withdrawId(identity, parse(withdrawSchema, body), actorOf(caller));
      return json({ withdrawn: true });
    },
  };
}

/** Lets a session take place whose customer has lost the ID check: `{kept: true}`. */
export function staffKeepWithoutId({ identity }: { identity: IdentityContext }): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'staff',
    permission: 'identity',
    limit: { name: 'staff-keep-without-id', max: 60, seconds: 60 },
    async handle({ caller, body }) {
      await keepWithoutId(identity, parse(keepSchema, body), actorOf(caller));
      return json({ kept: true });
    },
  };
}
