import { z } from 'zod';
import type { AccessCodes } from '#server/operations/access-codes.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { json, parse } from './answers.ts';
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
  access: AccessCodes;
  verify: (request: Request, rawBody: string) => Promise<boolean>;
}): ServerFunction {
  return {
    methods: ['POST'],
    callers: 'provider',
    limit: null,
    bodyMax: BODY_MAX,
    async handle({ request, body }) {
      const raw = String(body);
      if (!(await context.verify(request, raw))) throw new Refusal('invalid_request', 'The signature does not fit.');
      const { payload } = parse(bodySchema, readJson(raw));
      for (const entry of payload.event.type === 5 ? (payload.event.data.activityLogs ?? []) : []) {
        if (OPENED.has(entry.logType) && entry.pin)
          await context.access.used(payload.product.id, entry.pin, new Date(entry.entryDate * 1000));
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
