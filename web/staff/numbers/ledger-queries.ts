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
    /** Fees and payouts of the provider; null if an older version made the comparison. */
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
    /** The number of differences. `differences` contains only the oldest 200. */
    differenceCount: z.number(),
    differences: z.array(differenceSchema),
  })
  .nullable();
/** A difference between this program's rows and the provider's ledger. */
export type Difference = z.infer<typeof differenceSchema>;
export type LedgerCheck = NonNullable<z.infer<typeof checkSchema>>;

/** Reads the newest comparison of a month ('YYYY-MM'); null if there is none. */
export async function readLedgerCheck(month: string): Promise<LedgerCheck | null> {
  const { data, error } = await rest.rpc('ledger_check', { month: `${month}-01` });
  if (error) throw error;
  return checkSchema.parse(data);
}

/** Starts the comparison of a month. */
export function startLedgerCheck(month: string): Promise<unknown> {
  return callFunction('staff-reconcile', { month });
}

const OFFERED = 24;
/** Returns the months to choose from, as 'YYYY-MM' and "March 2031". The current month comes first. */
export function monthsBefore(today: StudioDate): readonly { readonly value: string; readonly label: string }[] {
  const months = [];
  let first = `${today.slice(0, 7)}-01`;
  for (let index = 0; index < OFFERED; index += 1) {
    months.push({ value: first.slice(0, 7), label: formatStudioDate(first).replace(/^\w+ \d+ /, '') });
    first = `${addDays(first, -1).slice(0, 7)}-01`;
  }
  return months;
}
