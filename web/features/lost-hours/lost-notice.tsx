import type { ReactNode } from 'react';
import { formatMoney } from '#rules/money.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { quoteSlots } from '#rules/pricing.ts';
import { slotKey, toSpan } from '#rules/slots.ts';
import { formatStudioDate, formatStudioTime } from '#rules/studio-time.ts';
import type { PricedStudio } from '#web/data/drafts/booking-draft.ts';
import type { LostSelection } from '#web/data/drafts/lost-hours.ts';
import { Button } from '#web/ui/button.tsx';
import { type Offers, useOffers } from './use-offers.ts';

/** Shows which hours of a selection were lost and when, and offers the nearest free hours, or the same hours once they are free again. */
export function LostNotice({
  lost,
  studios,
  userId,
  now,
  onTake,
  children,
}: {
  lost: LostSelection;
  studios: readonly PricedStudio[];
  userId: string | null;
  now: Date;
  onTake: (hours: StudioHours) => void;
  /** Further options for the customer. */
  children?: ReactNode;
}) {
  const studioIds = studios.map(({ id }) => id);
  const offers = useOffers({ lost, studioIds, userId, now });
  return (
    <section aria-label="Lost hours" className="border-l-4 border-warn bg-deck p-4 sm:p-5">
      <p className="font-semibold">{lost.note}</p>
      {lost.linked === true ? null : (
        <p className="mt-1 text-sm text-fog">We noticed at {formatStudioTime(lost.at)}, Sydney time.</p>
      )}
      <p role="status" className="mt-4 text-sm text-fog empty:hidden">
        {describe(offers, lost)}
      </p>
      {offers.state === 'again' ? (
        <Button className="mt-3" onClick={() => onTake(lost)}>
          Take them back
        </Button>
      ) : null}
      {offers.state === 'found' && offers.list.length > 0 ? (
        <ul className="mt-3 grid grid-cols-[repeat(auto-fill,minmax(11.5rem,1fr))] gap-2">
          {offers.list.map((hours) => {
            const studio = studios.find(({ id }) => id === hours.studioId);
            return studio === undefined ? null : (
              <li key={`${hours.studioId} ${hours.slots.map(slotKey).join()}`}>
                <Offer hours={hours} studio={studio} onTake={() => onTake(hours)} />
              </li>
            );
          })}
        </ul>
      ) : null}
      {children ? <div className="mt-4">{children}</div> : null}
    </section>
  );
}

function describe(offers: Offers, lost: LostSelection): string {
  if (offers.state === 'again') return 'Good news: the hours you chose are free again.';
  if (offers.state === 'unknown') return '';
  if (offers.state === 'loading') return 'Looking for the nearest free hours.';
  const length = lost.slots.length === 1 ? 'hour' : `${lost.slots.length} hours`;
  if (offers.list.length > 0) return `The nearest free ${length}:`;
  return `Nothing else is free for ${lost.slots.length === 1 ? 'an hour' : length} within a day of that.`;
}

/** A button that selects these hours. */
function Offer({ hours, studio, onTake }: { hours: StudioHours; studio: PricedStudio; onTake: () => void }) {
  const { start, end } = toSpan(hours.slots);
  return (
    <button
      type="button"
      onClick={onTake}
      className="flex min-h-14 w-full flex-wrap items-baseline justify-between gap-x-3 border-2 border-edge bg-booth px-4 py-2 text-left transition-colors hover:border-signal"
    >
      <span className="font-bold whitespace-nowrap">
        {formatStudioTime(start)} to {formatStudioTime(end)}
      </span>{' '}
      <span className="font-semibold tabular-nums">
        {formatMoney(quoteSlots(hours.slots, studio.rates).totalCents)}
      </span>{' '}
      <span className="w-full text-sm text-fog">
        {studio.name}, {formatStudioDate(start, 'medium')}
      </span>
    </button>
  );
}
