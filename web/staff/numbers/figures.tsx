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
    means: 'Payments by day received, before refunds. They match the export.',
  },
  {
    label: 'Refunded',
    value: (numbers) => money(numbers, 'refundedCents'),
    format: formatMoney,
    means: 'Refunds by day made, without those settled by hand.',
  },
  {
    label: 'Disputed',
    value: (numbers) => money(numbers, 'disputedCents'),
    format: formatMoney,
    means: 'Amounts that banks took in disputes opened on these days, less what we won back.',
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
    means: 'Confirmed bookings that start on these days.',
  },
  {
    label: 'Session value',
    value: ({ totals }) => totals.soldCents,
    format: formatMoney,
    means: 'Prices after discounts, regardless of when they were paid.',
  },
  {
    label: 'Volume discounts',
    value: ({ totals }) => totals.volumeDiscountCents,
    format: formatMoney,
    means: 'Discounts on long sessions.',
  },
  {
    label: 'Coupon discounts',
    value: ({ totals }) => totals.couponDiscountCents,
    format: formatMoney,
    means: 'Coupon discounts on these sessions.',
  },
  {
    label: 'Waived',
    value: ({ totals }) => totals.waivedCents,
    format: formatMoney,
    means: 'Free sessions, and price differences that staff waived after a move.',
  },
  {
    label: 'New customers',
    value: ({ totals }) => totals.customers - totals.returningCustomers,
    format: count,
    means: 'Customers whose first session is on these days.',
  },
  {
    label: 'Returning customers',
    value: ({ totals }) => totals.returningCustomers,
    format: count,
    means: 'Customers who had a session before these days.',
  },
  {
    label: 'Booked ahead',
    value: ({ totals }) => totals.medianLeadHours,
    format: lead,
    means: 'Median time from booking to session start.',
  },
  {
    label: 'Cancelled',
    value: ({ totals }) => totals.cancelled,
    format: count,
    means: 'Confirmed bookings on these days that were later cancelled.',
  },
  {
    label: 'Unpaid holds',
    value: ({ totals }) => totals.unpaidHolds,
    format: count,
    means: 'Bookings on these days that were started but never paid.',
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
                  ? 'Comparing…'
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
