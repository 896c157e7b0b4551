import type { ReactNode } from 'react';
import { formatMoney } from '#rules/money.ts';
import { type Quote, quoteSlots, savingsHint } from '#rules/pricing.ts';
import { type Slot, spanOf } from '#rules/slots.ts';
import { formatStudioDate, formatStudioTime, studioDate, studioHour } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** What is chosen and what it costs, always in view: beside the hours, or along the lower edge of a phone. */
export function Summary({
  studioName,
  slots,
  busy,
  problem,
  onBook,
  onClear,
}: {
  studioName: string;
  slots: readonly Slot[];
  busy: boolean;
  problem: ReactNode;
  onBook: () => void;
  onClear: () => void;
}) {
  if (slots.length === 0) {
    return (
      <aside aria-label="Your selection" className="mt-6 space-y-4 bg-booth p-5 text-fog xl:mt-12">
        <p>Choose the hours you want. They must follow one another.</p>
        <p>
          <strong className="text-chalk">3 hours save 10%</strong>, 4 or more save 15%.
        </p>
        {problem ? <Notice tone="bad">{problem}</Notice> : null}
      </aside>
    );
  }
  const quote = quoteSlots(slots);
  const span = spanOf(slots);
  const hint = savingsHint(slots);
  const nextDay = studioDate(span.end) !== studioDate(span.start);
  const longer = (span.end.getTime() - span.start.getTime()) / 3_600_000 > quote.hours;
  const clockHours = (studioHour(span.end) - studioHour(span.start) + 24) % 24 || 24;
  const shorter = clockHours > quote.hours;
  const hours = `${quote.hours} ${quote.hours === 1 ? 'hour' : 'hours'}`;
  return (
    <aside
      aria-label="Your selection"
      className="border-t-4 border-signal bg-booth p-5 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:max-h-[70dvh] max-lg:overflow-y-auto max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(0.75rem,env(safe-area-inset-bottom))] max-lg:shadow-[0_-20px_40px_#000] lg:mt-6 xl:mt-12"
    >
      <h2 className="text-2xl max-lg:sr-only">{studioName}</h2>
      <p className="text-sm text-fog lg:mt-3">
        <span aria-hidden="true" className="font-bold text-chalk lg:hidden">{`${studioName} `}</span>
        {formatStudioDate(span.start, 'medium')}, {formatStudioTime(span.start)} to {formatStudioTime(span.end)}
        {nextDay ? ` on ${formatStudioDate(span.end, 'short')}` : ''} <span className="text-dust">(Sydney time)</span>
      </p>
      <ClockNote longer={longer} shorter={shorter} />
      <Breakdown quote={quote} hours={hours} />
      {problem ? (
        <div className="mt-3">
          <Notice tone="bad">{problem}</Notice>
        </div>
      ) : null}
      {hint ? (
        <p className="mt-1 text-sm text-warn lg:mt-3">
          Add one hour, save {hint.percent}%{hint.percent > 10 ? ' instead of 10%' : ''}.
        </p>
      ) : null}
      <div className="mt-2 flex items-end justify-between gap-3 lg:mt-5 lg:block">
        <Total quote={quote} hours={hours} />
        <div className="flex shrink-0 flex-col items-stretch lg:block">
          <Button busy={busy} onClick={onBook} className="lg:w-full">
            Book Now
          </Button>
        </div>
      </div>
      <Button
        tone="quiet"
        onClick={onClear}
        disabled={busy}
        className="-ml-3 max-lg:min-h-11 max-lg:py-1 max-lg:text-sm"
      >
        Clear Selection
      </Button>
    </aside>
  );
}

/** What the change of clocks does to a session, on two nights a year (decisions T-01). */
function ClockNote({ longer, shorter }: { longer: boolean; shorter: boolean }) {
  if (longer) {
    return <p className="mt-1 text-sm text-good">The clocks go back that night: the hour that comes twice is on us.</p>;
  }
  return shorter ? (
    <p className="mt-1 text-sm text-fog">The clocks go forward that night: the hour that is skipped costs nothing.</p>
  ) : null;
}

function Breakdown({ quote, hours }: { quote: Quote; hours: string }) {
  return (
    <dl className="mt-4 space-y-1 text-sm max-lg:hidden">
      <Row name={hours} value={formatMoney(quote.baseCents)} />
      {quote.discountCents > 0 ? (
        <Row
          name={`${quote.discountPercent}% volume discount`}
          value={`-${formatMoney(quote.discountCents)}`}
          tone="good"
        />
      ) : null}
    </dl>
  );
}

function Total({ quote, hours }: { quote: Quote; hours: string }) {
  return (
    <div className="lg:mb-4">
      <p
        aria-live="polite"
        aria-atomic="true"
        className="text-4xl leading-none font-extrabold tabular-nums lg:text-6xl"
      >
        <span className="sr-only">Total </span>
        {formatMoney(quote.totalCents)}
      </p>
      <p className="mt-1 text-xs font-semibold text-fog lg:hidden">
        {hours}
        {quote.discountCents > 0 ? (
          <span className="text-good">
            , {quote.discountPercent}% volume discount -{formatMoney(quote.discountCents)}
          </span>
        ) : null}
      </p>
    </div>
  );
}

function Row({ name, value, tone = 'plain' }: { name: string; value: string; tone?: 'plain' | 'good' }) {
  return (
    <div className={`flex justify-between gap-4 ${tone === 'good' ? 'text-good' : ''}`}>
      <dt className={tone === 'good' ? '' : 'text-fog'}>{name}</dt>
      <dd className="font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
