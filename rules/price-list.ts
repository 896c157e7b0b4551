// Separate from pricing.ts, so that the booking page can compute prices without loading zod.
import { z } from 'zod';
import { addDays, isStudioDate } from './studio-time.ts';

/** The lowest and highest price of an hour, in cents. The tables have the same limits as constraints. */
const HOUR_CENTS = { min: 100, max: 100_000 } as const;
/** The highest volume discount, in percent. */
const VOLUME_PERCENT_MAX = 90;
/** The longest period of special days, in days. */
const DAYS_MAX = 366;

const hours = (count: number) =>
  z
    .array(
      z
        .int('Prices are whole cents.')
        .min(HOUR_CENTS.min, 'An hour costs at least $1.')
        .max(HOUR_CENTS.max, 'An hour costs at most $1,000.'),
    )
    .length(count, `Every one of the ${count} hours needs a price.`);
const day = z.string().refine((text) => isStudioDate(text) && text < '2200', { error: 'Choose a day.', abort: true });

/** A price list as staff set it: 168 hourly prices and the volume discount for 1 to 24 hours. */
const priceListSchema = z.object({
  hourCents: hours(168),
  volumePercents: z
    .array(z.int().min(0).max(VOLUME_PERCENT_MAX, `A discount is at most ${VOLUME_PERCENT_MAX}%.`))
    .length(24)
    .refine(
      (list) => list.every((percent, index) => percent >= (list[index - 1] ?? 0)),
      'More hours must not save less.',
    ),
});

/**
 * A change to the price list of a studio, or of all studios (null), from a day on. If `prices` is null, the list that begins on that day is
 * removed.
 */
export const priceListChangeSchema = z.object({
  studioId: z.uuid().nullable(),
  validFrom: day,
  prices: priceListSchema.nullable(),
});
export type PriceListChange = z.infer<typeof priceListChangeSchema>;

/** A change to the special days of a studio, or of all studios (null). If `prices` is null, they are removed. */
export const specialDaysChangeSchema = z
  .object({
    studioId: z.uuid().nullable(),
    firstDay: day,
    lastDay: day,
    prices: z.object({ name: z.string().trim().min(1, 'Name the days.').max(80), hourCents: hours(24) }).nullable(),
  })
  .refine(({ firstDay, lastDay }) => lastDay >= firstDay, {
    path: ['lastDay'],
    error: 'The last day is not before the first.',
  })
  .refine(({ firstDay, lastDay }) => lastDay < firstDay || lastDay <= addDays(firstDay, DAYS_MAX), {
    path: ['lastDay'],
    error: 'Special days last at most a year.',
  });
export type SpecialDaysChange = z.infer<typeof specialDaysChangeSchema>;
