import { z } from 'zod';
import { callFunction } from '#web/data/fetch-client.ts';
import { rest } from '#web/data/rest.ts';
import type { Days } from './days.ts';
import type { ExportRequest } from './export-form.ts';

const hoursSchema = z.object({ weekday: z.number(), hour: z.number(), booked: z.number(), open: z.number() });
const monthSchema = z.object({
  month: z.string(),
  paidCents: z.number(),
  refundedCents: z.number(),
  /** Money withdrawn by disputes, less money that was won back. */
  disputedCents: z.number(),
});
const totalsSchema = z.object({
  sessions: z.number(),
  hours: z.number(),
  baseCents: z.number(),
  volumeDiscountCents: z.number(),
  couponDiscountCents: z.number(),
  waivedCents: z.number(),
  soldCents: z.number(),
  cancelled: z.number(),
  unpaidHolds: z.number(),
  unpaidCents: z.number(),
  customers: z.number(),
  returningCustomers: z.number(),
  medianLeadHours: z.number().nullable(),
});
const numbersSchema = z.object({
  occupancy: z.array(hoursSchema),
  months: z.array(monthSchema),
  totals: totalsSchema,
});
/** For a weekday (1 = Monday) and hour: how many hours were booked, and how many could have been. */
export type WeekdayHours = z.infer<typeof hoursSchema>;
/** Money received, refunded and disputed in a month, in cents. */
export type MonthOfMoney = z.infer<typeof monthSchema>;
export type Numbers = z.infer<typeof numbersSchema>;

/** Reads the numbers of a range of days, for one studio or for all. */
export async function readNumbers({ first, last }: Days, studioId: string | null): Promise<Numbers> {
  const { data, error } = await rest.rpc('business_numbers', {
    first_day: first,
    last_day: last,
    ...(studioId === null ? {} : { studio: studioId }),
  });
  if (error) throw error;
  return numbersSchema.parse(data);
}

/** Reads a file of the given days as CSV. */
export function readExport(request: ExportRequest): Promise<string> {
  return callFunction('staff-export', request);
}
