import { z } from 'zod';
import { defineCall } from '../core/define-call.ts';

/** The largest number of seconds since 1970 that a `Date` can hold. */
const SECONDS_MAX = 8.64e12;

/** The JSON of a report. The text is parsed after its signature is verified. */
export const reportSchema = z.looseObject({
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

export const igloohomeWebhook = defineCall({
  name: 'igloohome-webhook',
  summary:
    'Accepts signed reports of the locks: keeps their log, marks used codes, and removes single-use codes from ' +
    'the lock.',
  methods: ['POST'],
  callers: 'provider',
  limit: null,
  bodyMax: 1024 * 1024,
  body: z.string().describe('The text of the report, which is signed.'),
  answer: z.strictObject({ received: z.literal(true) }),
  refusals: {},
  example: {
    body: '{"payload":{"product":{"id":"SP1X0000AAAA"},"event":{"type":10,"data":{}}}}',
    answer: { received: true },
  },
});
