import { z } from 'zod';
import { addDays, isStudioDate, type StudioDate } from '#rules/studio-time.ts';

export const KINDS = [
  { value: 'bookings', label: 'Bookings, by session day' },
  { value: 'payments', label: 'Payments, by day received' },
  { value: 'refunds', label: 'Refunds, by day made' },
  { value: 'disputes', label: 'Disputes, by day opened' },
  { value: 'customers', label: 'Customers, by sign-up day' },
  { value: 'xero', label: 'Sales for Xero: payments, refunds and disputes' },
] as const;

/** The body of `staff-export`: a range of whole days in Sydney. */
export const exportFormSchema = z
  .object({
    kind: z.enum(KINDS.map(({ value }) => value)),
    from: z.string().refine(isStudioDate, 'Choose the first day.'),
    to: z.string().refine(isStudioDate, 'Choose the last day.'),
  })
  .refine(({ from, to }) => from <= to, { path: ['to'], message: 'The last day must not be before the first.' });
export type ExportRequest = z.infer<typeof exportFormSchema>;

/** Returns the first and the last day of the month before that of `today`. */
export function lastMonth(today: StudioDate): { from: StudioDate; to: StudioDate } {
  const to = addDays(`${today.slice(0, 7)}-01`, -1);
  return { from: `${to.slice(0, 7)}-01`, to };
}
