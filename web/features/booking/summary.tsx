import { type ReactNode, useId, useState } from 'react';
import type { CouponTerms } from '#rules/coupon-discount.ts';
import { formatMoney } from '#rules/money.ts';
import {
  getPriceList,
  type Quote,
  quoteSlots,
  type Rates,
  savingsHint,
  type VolumeStep,
  volumeSteps,
} from '#rules/pricing.ts';
import { type Slot, toSpan } from '#rules/slots.ts';
import {
  formatStudioDate,
  formatStudioDateTime,
  formatStudioTime,
  studioDate,
  studioHour,
} from '#rules/studio-time.ts';
import { Frozen } from '#web/lib/use-stable.ts';
import { Button } from '#web/ui/button.tsx';
import { Fact, Facts } from '#web/ui/table.tsx';
import { SummaryBar } from './summary-bar.tsx';
import { Foot } from './summary-foot.tsx';
import type { RemovedHours } from './choice-state.ts';
import type { Choice } from './use-choice.ts';

/** On a phone, fixed to the lower edge. On large screens, next to the hours. On low screens, below the hours, so that it covers less. */
const BAR =
  'bar:fixed bar:inset-x-0 bar:bottom-0 bar:z-20 bar:max-h-[70dvh] bar:overflow-y-auto bar:px-4 bar:pt-2.5 bar:pb-[max(0.625rem,env(safe-area-inset-bottom))] bar:shadow-[0_-20px_40px_#000]';

/** On large screens, a low bar along the lower edge, so that it does not cover the rooms. */
const FLAT =
  'p-5 lg:sticky lg:bottom-0 lg:z-20 lg:mt-4 lg:grid lg:grid-cols-[minmax(0,1fr)_minmax(22rem,auto)] lg:items-center lg:gap-x-12 lg:px-5 lg:py-3 lg:shadow-[0_-12px_30px_#0b0b0c]';

type Props = {
  readonly choice: Choice;
  readonly rates: Rates;
  /** The coupon that is deducted from the price. */
  readonly coupon: CouponTerms | null;
  /** The field for a coupon code; null if the code is typed at the checkout. */
  readonly couponField: ReactNode;
  /** What Book Now leads to, and what it will cost. */
  readonly next: string;
  /** Until when the booking can be cancelled for a refund. */
  readonly terms: string;
  readonly busy: boolean;
  /** A coupon is being checked, so the price is unknown. */
  readonly unpriced: boolean;
  /** Something about the coupon needs the customer's attention or decision. */
  readonly alert: boolean;
  /** The error after Book Now; null if there is none. */
  readonly problem: ReactNode;
  /**
   * For a layout whose hours take the full width: the summary is a bar along the lower edge on large screens too, without the button to the
   * next morning.
   */
  readonly flat?: boolean;
  /** How the hours are repeated: a line that describes it, and the cost of all dates. `dates` is 1 if the hours are not repeated. */
  readonly series: { readonly line: ReactNode; readonly dates: number; readonly totalCents: number | null };
  readonly onBook: () => void;
  readonly onChange: () => void;
};

/** Shows the selection and its price. It is always in view. */
export function Summary({
  choice,
  rates,
  coupon,
  couponField,
  next,
  terms,
  busy,
  unpriced,
  alert,
  problem,
  flat = false,
  series,
  onBook,
  onChange,
}: Props) {
  const { slots, removed } = choice;
  const [unfolded, setUnfolded] = useState(false);
  const details = useId();
  if (slots.length === 0)
    return (
      <NothingChosen removed={removed} problem={problem} onUndo={(hours) => choice.restore(hours)}>
        <VolumeDiscount steps={volumeSteps(getPriceList(choice.date, rates))} />
      </NothingChosen>
    );
  const quote = quoteSlots(slots, rates, coupon);
  const [hours, studioName] = [formatHours(quote.hours), choice.studio?.name ?? ''];
  const each = series.dates === 1 ? hours : `${hours} each time`;
  // The customer has to decide about an alert or a problem, so the details are never folded then.
  const open = unfolded || alert || problem !== null;
  const clear = (): void => {
    setUnfolded(false);
    choice.clear();
    onChange();
  };
  return (
    <aside
      aria-label="Your selection"
      data-along-edge={open ? 'bar' : 'row'}
      className={`mt-6 border-t-4 border-signal bg-booth ${flat ? FLAT : 'p-5 xl:mt-12'} ${BAR}`}
    >
      <div id={details} className={`contents ${open ? '' : 'bar:hidden'}`}>
        <div className={flat ? 'lg:flex lg:flex-wrap lg:items-center lg:gap-x-6' : ''}>
          <h2 className="text-2xl max-lg:sr-only">{studioName}</h2>
          <Frozen on={busy}>
            <When studioName={studioName} choice={choice} flat={flat} />
            {flat ? null : <Breakdown quote={quote} hours={each} coupon={coupon} />}
          </Frozen>
          <div className={flat ? 'mt-1 lg:mt-0' : 'mt-1 lg:mt-3'}>{series.line}</div>
          {problem ? <div className="mt-3 lg:w-full">{problem}</div> : null}
          <Savings slots={slots} rates={rates} couponField={couponField} flat={flat} />
        </div>
        <Foot
          quote={quote}
          hours={hours}
          coupon={coupon}
          flat={flat}
          series={series}
          next={unpriced ? null : next}
          terms={terms}
          busy={busy}
          unpriced={unpriced}
          onBook={onBook}
          onClear={clear}
        />
      </div>
      <SummaryBar
        span={toSpan(slots)}
        totalCents={unpriced ? null : (series.totalCents ?? quote.totalCents)}
        terms={terms}
        busy={busy}
        open={open}
        details={details}
        onToggle={() => setUnfolded(!open)}
        onBook={onBook}
      />
    </aside>
  );
}

function Savings({
  slots,
  rates,
  couponField,
  flat,
}: {
  slots: readonly Slot[];
  rates: Rates;
  couponField: ReactNode;
  flat: boolean;
}) {
  return (
    <div
      className={`mt-1 flex flex-wrap items-center justify-between gap-x-4 gap-y-1 ${flat ? 'lg:mt-0' : 'lg:mt-3 lg:block'}`}
    >
      <SavingsHint slots={slots} rates={rates} />
      {couponField ? <div className={`has-[form,output,p]:w-full ${flat ? '' : 'lg:mt-3'}`}>{couponField}</div> : null}
    </div>
  );
}

function SavingsHint({ slots, rates }: { slots: readonly Slot[]; rates: Rates }) {
  const hint = savingsHint(slots, rates);
  return hint ? (
    <p className="text-sm font-semibold text-warn">
      Add one hour, save {hint.percent}%{hint.before > 0 ? ` instead of ${hint.before}%` : ''}.
    </p>
  ) : null;
}

const formatHours = (count: number): string => `${count} ${count === 1 ? 'hour' : 'hours'}`;

/** Shown without a selection. Offers Undo after a selection was cleared. */
function NothingChosen({
  removed,
  problem,
  children,
  onUndo,
}: {
  removed: RemovedHours | null;
  problem: ReactNode;
  /** What to know before choosing hours. */
  children: ReactNode;
  onUndo: (hours: RemovedHours) => void;
}) {
  const first = removed?.slots[0];
  return (
    <aside
      aria-label="Your selection"
      data-along-edge={removed ? 'bar' : undefined}
      className={`mt-6 space-y-4 bg-booth p-5 text-fog xl:mt-12 ${removed ? `bar:border-t-4 bar:border-line ${BAR}` : ''}`}
    >
      {removed && first ? (
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <p>
            Selection cleared: {formatHours(removed.slots.length)}, {formatStudioDate(removed.date, 'short')}.
          </p>
          <Button tone="plain" onClick={() => onUndo(removed)}>
            Undo
          </Button>
        </div>
      ) : (
        <>
          <p>Choose the hours you want, back to back.</p>
          {children}
        </>
      )}
      {problem}
    </aside>
  );
}

/** Describes what more hours save: "3 hours save 10%, 4 or more save 15%." */
function VolumeDiscount({ steps }: { steps: readonly VolumeStep[] }) {
  const [first, ...more] = describeSteps(steps);
  if (first === undefined) return null;
  return (
    <p>
      <strong className="text-chalk">{first}</strong>
      {more.map((step) => `, ${step}`).join('')}.
    </p>
  );
}

function describeSteps(steps: readonly VolumeStep[]): string[] {
  return steps.map(({ hours, percent }, index) => {
    const next = steps[index + 1]?.hours;
    const range = next === undefined ? `${hours} or more` : next === hours + 1 ? `${hours}` : `${hours} to ${next - 1}`;
    return `${range}${index === 0 ? ' hours' : ''} save ${percent}%`;
  });
}

function When({ studioName, choice, flat }: { studioName: string; choice: Choice; flat: boolean }) {
  const { slots } = choice;
  const span = toSpan(slots);
  const nextDay = studioDate(span.end) !== studioDate(span.start);
  const longer = (span.end.getTime() - span.start.getTime()) / 3_600_000 > slots.length;
  const clockHours = (studioHour(span.end) - studioHour(span.start) + 24) % 24 || 24;
  return (
    <>
      <p className={`text-sm text-fog ${flat ? '' : 'lg:mt-3'}`}>
        <span aria-hidden="true" className="font-bold text-chalk lg:hidden">{`${studioName} `}</span>
        {formatStudioDateTime(span.start)} to {formatStudioTime(span.end)}
        {nextDay ? ` on ${formatStudioDate(span.end, 'short')}` : ''}
      </p>
      <ClockNote longer={longer} shorter={clockHours > slots.length} />
    </>
  );
}

/** Explains the change of clocks for a session. This happens on two nights a year. */
function ClockNote({ longer, shorter }: { longer: boolean; shorter: boolean }) {
  if (longer) {
    return <p className="mt-1 text-sm text-good">The clocks go back that night: the extra hour is on us.</p>;
  }
  return shorter ? (
    <p className="mt-1 text-sm text-fog">
      The clocks go forward that night: you don’t pay for the hour that’s skipped.
    </p>
  ) : null;
}

function Breakdown({ quote, hours, coupon }: { quote: Quote; hours: string; coupon: CouponTerms | null }) {
  return (
    <Facts look="items" className="mt-4 max-lg:hidden">
      <Fact name={hours}>{formatMoney(quote.baseCents)}</Fact>
      {quote.discountCents > 0 ? (
        <Fact name={`${quote.discountPercent}% volume discount`} tone="good">
          -{formatMoney(quote.discountCents)}
        </Fact>
      ) : null}
      {coupon && quote.couponDiscountCents > 0 ? (
        <Fact name={`Code ${coupon.code}`} tone="good">
          -{formatMoney(quote.couponDiscountCents)}
        </Fact>
      ) : null}
    </Facts>
  );
}
