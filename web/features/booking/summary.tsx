import { formatMoney } from '#rules/money.ts';
import { quoteSlots, savingsHint } from '#rules/pricing.ts';
import { type Slot, spanOf } from '#rules/slots.ts';
import { formatStudioDate, formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { Button } from '#web/ui/button.tsx';

/** What is chosen and what it costs, always in view. */
export function Summary({
  studioName,
  slots,
  busy,
  onBook,
  onClear,
}: {
  studioName: string;
  slots: readonly Slot[];
  busy: boolean;
  onBook: () => void;
  onClear: () => void;
}) {
  if (slots.length === 0) {
    return (
      <aside aria-label="Your selection" className="bg-booth p-5 text-fog">
        <p>Choose the hours you want. They must follow one another; three hours save 10%, four or more save 15%.</p>
      </aside>
    );
  }
  const quote = quoteSlots(slots);
  const span = spanOf(slots);
  const hint = savingsHint(slots);
  const nextDay = studioDate(span.end) !== studioDate(span.start);
  const longer = (span.end.getTime() - span.start.getTime()) / 3_600_000 > quote.hours;
  return (
    <aside
      aria-label="Your selection"
      className="border-t-4 border-signal bg-booth p-5 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:max-h-[60dvh] max-lg:overflow-y-auto max-lg:px-4 max-lg:pt-3 max-lg:pb-[max(1rem,env(safe-area-inset-bottom))] max-lg:shadow-[0_-20px_40px_#000]"
    >
      <div className="flex items-baseline justify-between gap-4 lg:block">
        <h2 className="text-2xl whitespace-nowrap max-lg:text-xl">{studioName}</h2>
        <p className="text-sm text-fog lg:mt-3">
          {formatStudioDate(span.start, 'medium')}, {formatStudioTime(span.start)} to {formatStudioTime(span.end)}
          {nextDay ? ` on ${formatStudioDate(span.end, 'short')}` : ''} <span className="text-dust">(Sydney time)</span>
        </p>
      </div>
      {longer ? (
        <p className="mt-1 text-sm text-good">The clocks go back that night: the hour that comes twice is on us.</p>
      ) : null}
      <dl className="mt-2 space-y-1 text-sm max-lg:hidden">
        <Row name={`${quote.hours} ${quote.hours === 1 ? 'hour' : 'hours'}`} value={formatMoney(quote.baseCents)} />
        {quote.discountCents > 0 ? (
          <Row name={`${quote.discountPercent}% volume discount`} value={`-${formatMoney(quote.discountCents)}`} />
        ) : null}
      </dl>
      {hint ? <p className="mt-2 text-sm text-warn max-lg:hidden">Add one hour, save {hint.percent}%.</p> : null}
      <div className="mt-3 flex items-center justify-between gap-3 lg:mt-5 lg:block">
        <p aria-live="polite" className="text-3xl font-extrabold lg:mb-4 lg:text-5xl">
          <span className="sr-only">Total </span>
          {formatMoney(quote.totalCents)}
          <span className="block text-xs font-semibold text-dust lg:hidden">
            {quote.hours} h{quote.discountCents > 0 ? `, ${quote.discountPercent}% off` : ''}
          </span>
        </p>
        <Button busy={busy} onClick={onBook} className="lg:w-full">
          Book Now
        </Button>
      </div>
      <Button tone="quiet" onClick={onClear} className="max-lg:min-h-11 max-lg:py-1 max-lg:text-sm">
        Clear Selection
      </Button>
    </aside>
  );
}

function Row({ name, value }: { name: string; value: string }) {
  return (
    <div className="flex justify-between gap-4">
      <dt className="text-fog">{name}</dt>
      <dd className="font-semibold">{value}</dd>
    </div>
  );
}
