import { z } from 'zod';
import type { AccessContext } from '#server/operations/access/context.ts';
import { recordUse } from '#server/operations/access/record-use.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { parse } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

/** igloohome's log types for a code that opened a door: one-time code used, duration code first used, used again. */
const OPENED = new Set([20, 22, 19]);

const bodySchema = z.looseObject({
  payload: z.looseObject({
    product: z.looseObject({ id: z.string().max(60) }),
    event: z.looseObject({
      type: z.number().int(),
      data: z.looseObject({
        activityLogs: z
          .array(
            z.looseObject({
              logType: z.number().int(),
              entryDate: z.number(),
              pin: z
                .string()
                .regex(/^\d{4,10}$/)
                .nullish(),
            }),
          )
          .max(500)
          .optional(),
      }),
    }),
  }),
});

const BODY_MAX = 1024 * 1024;

/** Handles signed reports of the locks: marks used codes, and removes single-use codes from the lock. */
export function igloohomeWebhook(context: {
  access: AccessContext;
  verifyLockWebhook: (request: Request, rawBody: string) => Promise<boolean>;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'provider',
    limit: null,
    bodyMax: BODY_MAX,
    async handle({ request, body }) {
      const raw = String(body);
      if (!(await context.verifyLockWebhook(request, raw)))
        throw new Refusal('invalid_request', 'The signature is invalid.');
      const { payload } = parse(bodySchema, readJson(raw));
      for (const entry of payload.event.type === 5 ? (payload.event.data.activityLogs ?? []) : []) {
        if (!OPENED.has(entry.logType) || !entry.pin) continue;
        const at = new Date(entry.entryDate * 1000);
        await recordUse(context.access, { lockId: payload.product.id, pin: entry.pin, at });
      }
      return json({ received: true });
    },
  };
}

function readJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.');
  }
}
