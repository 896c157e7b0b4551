import { z } from 'zod';
import { addDays, formatStudioDate, type StudioDate } from '#rules/studio-time.ts';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';

const kindSchema = z.enum(['payment', 'refund', 'dispute']);
const sideSchema = z.object({ count: z.number(), cents: z.number() });
const differenceSchema = z.object({
  kind: kindSchema,
  id: z.string(),
  name: z.enum(['missing_here', 'missing_there', 'other_amount', 'other_currency']),
  reference: z.string().nullable(),
  hereCents: z.number().nullable(),
  thereCents: z.number().nullable(),
  currency: z.string().nullable(),
  at: z.coerce.date(),
});
const checkSchema = z
  .object({
    finishedAt: z.coerce.date().nullable(),
    problem: z.string().nullable(),
    sums: z.array(z.object({ kind: kindSchema, here: sideSchema, there: sideSchema })),
    /** What the provider took and paid out; null for a comparison by an older version. */
    feesAndPayouts: z
      .object({
        feeCents: z.number(),
        payouts: z.array(
          z.object({
            id: z.string(),
            cents: z.number(),
            at: z.coerce.date(),
            arrivesAt: z.coerce.date().nullable(),
            returned: z.boolean(),
          }),
        ),
      })
      .nullable(),
    /** Of these the oldest, at most 200, are in `differences`. */
    differenceCount: z.number(),
    differences: z.array(differenceSchema),
  })
  .nullable();
/** What our rows and the provider's ledger do not agree on. */
export type Difference = z.infer<typeof differenceSchema>;
export type LedgerCheck = NonNullable<z.infer<typeof checkSchema>>;

/** Reads the newest comparison of a month ('YYYY-MM'); null before the first. */
export async function readLedgerCheck(month: string): Promise<LedgerCheck | null> {
  const { data, error } = await rest.rpc('ledger_check', { month: `${month}-01` });
  if (error) throw error;
  return checkSchema.parse(data);
}

/** Begins to compare a month. */
export function startLedgerCheck(month: string): Promise<unknown> {
  return callFunction('staff-reconcile', { month });
}

const OFFERED = 24;
/** The months to choose from, this one first: 'YYYY-MM' and "March 2031". */
export function monthsBefore(today: StudioDate): readonly { readonly value: string; readonly label: string }[] {
  const months = [];
  let first = `${today.slice(0, 7)}-01`;
  for (let at = 0; at < OFFERED; at += 1) {
    months.push({ value: first.slice(0, 7), label: formatStudioDate(first).replace(/^\w+ \d+ /, '') });
    first = `${addDays(first, -1).slice(0, 7)}-01`;
  }
  return months;
}
