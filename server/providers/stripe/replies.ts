import { z } from 'zod';
import { readReply } from '../call.ts';

/** The parts of Stripe's objects that the server reads. The SDK's types promise more than a reply need contain. */

const id = z.string().min(1);
const metadata = z.record(z.string(), z.string());
const seconds = z.number().int();

/** A customer or a saved card, of which only the id is read. */
export const customerReply = z.looseObject({ id });

export const cardsReply = z.looseObject({
  data: z.array(
    z.looseObject({
      id,
      card: z
        .looseObject({ brand: z.string(), last4: z.string(), exp_month: z.number().int(), exp_year: z.number().int() })
        .optional(),
    }),
  ),
});

const chargeReply = z.looseObject({ amount_refunded: z.number().int(), disputed: z.boolean() });
/** An expanded object, or only its id. */
const expandable = <S extends z.ZodType>(object: S) => z.union([z.string(), object]).nullish();

/** Why the last attempt failed (docs.stripe.com/api/payment_intents/object). */
const lastError = z
  .looseObject({
    code: z.string().nullish(),
    decline_code: z.string().nullish(),
    message: z.string().nullish(),
    charge: z.string().nullish(),
  })
  .nullish();
export type LastErrorReply = z.output<typeof lastError>;

export const intentReply = z.looseObject({
  id,
  last_payment_error: lastError,
  status: z.string(),
  amount: z.number().int(),
  currency: z.string(),
  livemode: z.boolean(),
  metadata,
  latest_charge: expandable(chargeReply),
});

export const sessionReply = z.looseObject({
  id,
  url: z.string().nullish(),
  status: z.string().nullish(),
  payment_status: z.string(),
  amount_total: z.number().int().nullish(),
  currency: z.string().nullish(),
  client_reference_id: z.string().nullish(),
  livemode: z.boolean(),
  metadata: metadata.nullish(),
  payment_intent: expandable(
    z.looseObject({ id, status: z.string(), latest_charge: expandable(chargeReply), last_payment_error: lastError }),
  ),
});

export const refundReply = z.looseObject({
  id,
  status: z.string().nullish(),
  amount: z.number().int(),
  metadata: metadata.nullish(),
});

export const disputeReply = z.looseObject({
  id,
  status: z.string(),
  created: seconds,
  reason: z.string().nullish(),
  amount: z.number().int(),
  evidence_details: z.looseObject({ due_by: seconds.nullish() }).nullish(),
});

export const listReply = z.looseObject({ data: z.array(z.unknown()) });

export const balanceReply = z.looseObject({
  type: z.string(),
  reporting_category: z.string(),
  amount: z.number().int(),
  fee: z.number().int(),
  currency: z.string(),
  created: seconds,
  source: expandable(
    z.looseObject({
      id,
      object: z.string(),
      currency: z.string().nullish(),
      payment_intent: expandable(z.looseObject({ id })),
      arrival_date: seconds.nullish(),
    }),
  ),
});
export type BalanceReply = z.output<typeof balanceReply>;
export type BalanceSource = BalanceReply['source'];

const dateParts = z.looseObject({
  day: z.number().int().nullish(),
  month: z.number().int().nullish(),
  year: z.number().int().nullish(),
});
export type DateParts = z.output<typeof dateParts> | null | undefined;

export const checkReply = z.looseObject({
  id,
  url: z.string().nullish(),
  status: z.string(),
  last_error: z.looseObject({ code: z.string().nullish() }).nullish(),
  verified_outputs: z
    .looseObject({ first_name: z.string().nullish(), last_name: z.string().nullish(), dob: dateParts.nullish() })
    .nullish(),
  last_verification_report: expandable(
    z.looseObject({ document: z.looseObject({ expiration_date: dateParts.nullish() }).nullish() }),
  ),
});

export const eventReply = z.looseObject({
  id,
  type: z.string().min(1),
  livemode: z.boolean(),
  data: z.looseObject({ object: z.looseObject({}) }),
});
export type EventReply = z.output<typeof eventReply>;

/** Checks the shape of an object from Stripe. Throws `ProviderError`. */
export const read = <S extends z.ZodType>(schema: S, reply: unknown): z.output<S> => readReply('stripe', schema, reply);
