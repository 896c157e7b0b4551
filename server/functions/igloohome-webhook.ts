import { z } from 'zod';
import type { DoorEvent } from '#rules/doors.ts';
import type { AccessContext } from '#server/operations/access/context.ts';
import { recordBridge, recordReport } from '#server/operations/access/record-report.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { parse, readJson } from './requests.ts';
import { json } from './responses.ts';
import type { ServerFunction } from './function.ts';

/** igloohome's log types. 20, 22, 19: a one-time code was used, a duration code for the first time, again. */
const KINDS: Readonly<Partial<Record<number, DoorEvent>>> = {
  20: 'code',
  22: 'code',
  19: 'code',
  16: 'wrong_code',
  18: 'master_code',
  11: 'bluetooth',
  37: 'bluetooth',
  43: 'card',
  56: 'fingerprint',
  50: 'from_inside',
  51: 'from_inside',
  52: 'from_inside',
  49: 'locked',
  53: 'break_in',
};
/** igloohome's types of events: entries of a lock's log; the bridge has lost or found its connection. */
const ACTIVITY = 5;
const CONNECTIVITY = 10;
/** Seconds since 1970 that a date can hold. */
const SECONDS_MAX = 8.64e12;

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
              entryDate: z.number().min(0).max(SECONDS_MAX),
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

/** Handles signed reports of the locks: keeps their log, marks used codes, and removes single-use codes from the lock. */
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
      const { payload } = parse(bodySchema, readJson(Buffer.from(raw)));
      const { product, event } = payload;
      if (event.type === CONNECTIVITY) await recordBridge(context.access);
      for (const entry of event.type === ACTIVITY ? (event.data.activityLogs ?? []) : [])
        await recordReport(context.access, {
          lockId: product.id,
          kind: KINDS[entry.logType] ?? 'other',
          pin: entry.pin ?? null,
          at: new Date(entry.entryDate * 1000),
        });
      return json({ received: true });
    },
  };
}
