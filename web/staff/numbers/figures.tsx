import { formatMoney } from '#rules/money.ts';
import type { Numbers, WeekdayHours } from './queries.ts';

type Figure = {
  readonly label: string;
  readonly value: (numbers: Numbers) => number | null;
  readonly format: (value: number) => string;
  /** What the figure counts. */
  readonly means: string;
};

const count = (value: number): string => String(value);
const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const percent = (value: number): string => `${Math.round(value * 100)} %`;
const total = (hours: readonly WeekdayHours[], key: 'booked' | 'open'): number =>
  hours.reduce((sum, hour) => sum + hour[key], 0);
const money = (numbers: Numbers, key: 'paidCents' | 'refundedCents' | 'disputedCents'): number =>
  numbers.months.reduce((sum, month) => sum + month[key], 0);
/** Formats a lead time: "45 min", "7 h", "3 days". */
const lead = (hours: number): string =>
  hours < 1
    ? `${Math.round(hours * 60)} min`
    : hours < 48
      ? `${Math.round(hours)} h`
      : `${Math.round(hours / 24)} days`;

const FIGURES: readonly Figure[] = [
  {
    label: 'Received',
    value: (numbers) => money(numbers, 'paidCents'),
    format: formatMoney,
    means: 'Payments by the day they arrived, before refunds. The same rows as in the export.',
  },
  {
    label: 'Refunded',
    value: (numbers) => money(numbers, 'refundedCents'),
    format: formatMoney,
    means: 'Refunds by the day they were made. Without those settled by hand.',
  },
  {
    label: 'Disputed',
    value: (numbers) => money(numbers, 'disputedCents'),
    format: formatMoney,
    means: 'What banks took in disputes opened in these days, less what was won back in them.',
  },
  {
    label: 'Occupancy',
    value: ({ occupancy }) => share(total(occupancy, 'booked'), total(occupancy, 'open')),
    format: percent,
    means: 'Booked hours as a share of all hours that were not closed.',
  },
  {
    label: 'Sessions',
    value: ({ totals }) => totals.sessions,
    format: count,
    means: 'Confirmed bookings that start in these days.',
  },
  {
    label: 'Value of the sessions',
    value: ({ totals }) => totals.soldCents,
    format: formatMoney,
    means: 'Their prices after discounts, whenever they were paid.',
  },
  {
    label: 'Volume discounts',
    value: ({ totals }) => totals.volumeDiscountCents,
    format: formatMoney,
    means: 'What long sessions cost less.',
  },
  {
    label: 'Coupon discounts',
    value: ({ totals }) => totals.couponDiscountCents,
    format: formatMoney,
    means: 'What coupons took off these sessions.',
  },
  {
    label: 'Not charged',
    value: ({ totals }) => totals.waivedCents,
    format: formatMoney,
    means: 'What staff gave free: whole sessions, and dearer hours after a move.',
  },
  {
    label: 'New customers',
    value: ({ totals }) => totals.customers - totals.returningCustomers,
    format: count,
    means: 'People whose first session is in these days.',
  },
  {
    label: 'Returning customers',
    value: ({ totals }) => totals.returningCustomers,
    format: count,
    means: 'People who had a session before these days.',
  },
  {
    label: 'Booked ahead',
    value: ({ totals }) => totals.medianLeadHours,
    format: lead,
    means: 'Half of the sessions are booked longer before their start, half later.',
  },
  {
    label: 'Cancelled',
    value: ({ totals }) => totals.cancelled,
    format: count,
    means: 'Bookings of these days that were cancelled after they had been confirmed.',
  },
  {
    label: 'Holds not paid',
    value: ({ totals }) => totals.unpaidHolds,
    format: count,
    means: 'Bookings of these days that were begun, and ended without a payment.',
  },
];

/** The figures of a range of days, each next to the figure of the days before. */
export function Figures({
  now,
  before,
  beforeDays,
}: {
  now: Numbers;
  /** Undefined while it is being counted, null if that failed. */
  before: Numbers | null | undefined;
  beforeDays: string;
}) {
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 lg:grid-cols-4">
      {FIGURES.map(({ label, value, format, means }) => {
        const [current, earlier] = [value(now), before ? value(before) : before];
        return (
          <div key={label} className="bg-booth p-4">
            <dt className="text-sm text-fog">{label}</dt>
            <dd>
              <span className="block text-2xl tabular-nums">{current === null ? '–' : format(current)}</span>
              <span className="mt-1 block text-xs text-fog tabular-nums">
                {earlier === undefined
                  ? 'Comparing …'
                  : `${earlier === null ? '–' : format(earlier)} from ${beforeDays}`}
              </span>
              <span className="mt-2 block text-xs text-dust">{means}</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
