import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { findOffers, type FoundHours, LOOK_DAYS, type Part, PARTS, type RoomSearch } from '#rules/finding/any-room.ts';
import { describeSpan } from '#rules/finding/span-words.ts';
import { formatMoney } from '#rules/money.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { slotKey, toSpan } from '#rules/slots.ts';
import { addDays, formatStudioDate, studioDate } from '#rules/studio-time.ts';
import { readRooms } from '#web/data/finding/availability.ts';
import type { PricedStudio } from '#web/data/drafts/booking-draft.ts';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { blocking } from '#web/data/finding/taken.ts';
import { useBusiness } from '#web/lib/business/business.ts';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { Choice } from './choice.tsx';

const POLL_MS = 15_000;
const HOURS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const PART_WORDS: Readonly<Record<Part, string>> = {
  any: 'Any time',
  morning: 'Morning',
  afternoon: 'Afternoon',
  evening: 'Evening',
  night: 'Night',
};
/** Price limits in cents; null for any price. */
const LIMITS = [null, 6_000, 10_000, 15_000, 20_000, 30_000] as const;

/** Offers the best three free spans in any room within a week, by length, part of the day and price. */
export function AnyRoom({
  studios,
  userId,
  now,
  onTake,
}: {
  studios: readonly PricedStudio[];
  userId: string | null;
  now: Date;
  onTake: (hours: StudioHours) => void;
}) {
  const [request, setRequest] = useState<RoomSearch>({ hours: 2, part: 'any', maxCents: null });
  const change = (more: Partial<RoomSearch>): void => setRequest((before) => ({ ...before, ...more }));
  const offers = useFoundHours(request, { studios, userId, now });
  const search = useRef<HTMLElement>(null);
  // On a phone the offers would be below the visible area. Scrolling keeps the button that opened the search in sight.
  useEffect(() => {
    if (search.current && search.current.getBoundingClientRect().bottom > window.innerHeight)
      search.current.scrollIntoView();
  }, []);
  return (
    <section
      ref={search}
      aria-label="Find me a time"
      className="mb-8 scroll-mt-20 border-l-4 border-signal bg-booth p-4 sm:p-5"
    >
      <div className="space-y-4 sm:space-y-3">
        <Choice
          label="For"
          value={request.hours}
          options={HOURS.map((hours) => [hours, hours === 1 ? '1 hour' : `${hours} hours`])}
          columns="grid-cols-4 md:grid-cols-8"
          onChoose={(hours) => change({ hours })}
        />
        <Choice
          label="When"
          value={request.part}
          options={PARTS.map((part) => [part, PART_WORDS[part]])}
          columns="grid-cols-3 max-sm:*:first:col-span-2 sm:grid-cols-5"
          onChoose={(part) => change({ part })}
        />
        <Choice
          label="Up to"
          value={request.maxCents}
          options={LIMITS.map((cents) => [cents, cents === null ? 'Any price' : formatMoney(cents)])}
          columns="grid-cols-3 min-[24.25rem]:max-sm:grid-cols-[auto_repeat(5,1fr)] sm:grid-cols-6"
          onChoose={(maxCents) => change({ maxCents })}
        />
      </div>
      {offers.failed ? (
        <div className="mt-4">
          <LoadFailed title="We can’t show which hours are free right now." onRetry={offers.retry} />
        </div>
      ) : offers.list === undefined ? (
        <Skeleton className="mt-4 h-40 max-md:h-108" label="Looking for free hours" />
      ) : (
        <>
          <p role="status" className="mt-4 text-sm text-fog">
            {offers.list.length === 0
              ? 'Nothing fits in the next 7 days. Try fewer hours, another time or a higher price.'
              : 'The best in the next 7 days, Sydney time:'}
          </p>
          <ul className="mt-2 grid gap-2 md:grid-cols-3">
            {offers.list.map((offer) => (
              <li key={`${offer.studioId} ${offer.slots.map(slotKey).join()}`}>
                <Offer
                  offer={offer}
                  studio={studios.find(({ id }) => id === offer.studioId)?.name ?? ''}
                  now={now}
                  onTake={() => onTake(offer)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function useFoundHours(
  request: RoomSearch,
  { studios, userId, now }: { studios: readonly PricedStudio[]; userId: string | null; now: Date },
) {
  const { horizonDays } = useBusiness();
  const today = studioDate(now);
  // The longest session starts on the last day and ends on the next.
  const days = { from: today, to: addDays(today, LOOK_DAYS) };
  const ids = studios.map(({ id }) => id);
  const live = useLive(
    ids.map((id) => `studio:${id}` as const),
    queryKeys.availability.all,
  );
  const read = useQuery({
    queryKey: queryKeys.availability.of('offers', ids.join(' '), userId, days.from, days.to),
    queryFn: () => readRooms(ids, days, userId),
    refetchInterval: pollWhile(live, POLL_MS),
  });
  const rooms = studios.map(({ id, rates }) => ({ studioId: id, rates, busy: blocking(read.data?.get(id) ?? []) }));
  return {
    // An outdated answer could offer hours that are taken.
    failed: read.isError,
    list: read.data === undefined ? undefined : findOffers(request, rooms, now, horizonDays),
    retry: () => void read.refetch(),
  };
}

/** A button that selects these hours, with the reason why they are offered. */
function Offer({ offer, studio, now, onTake }: { offer: FoundHours; studio: string; now: Date; onTake: () => void }) {
  const { start, end } = toSpan(offer.slots);
  return (
    <button
      type="button"
      onClick={onTake}
      className="group flex h-full w-full flex-col border-2 border-edge bg-deck text-left transition-colors hover:border-signal"
    >
      <span className="w-full border-b border-line px-4 py-2 text-sm font-bold text-signal">
        {formatReason(offer, start, now)}
      </span>
      <span className="flex w-full grow flex-col gap-1 px-4 py-3">
        <span className="text-lg leading-snug font-bold">{describeSpan(start, end, studioDate(now))}</span>{' '}
        <span className="mt-auto flex items-baseline justify-between gap-3 pt-2">
          <span className="text-fog">{studio}</span>{' '}
          <span className="text-xl font-extrabold tabular-nums">{formatMoney(offer.totalCents)}</span>
        </span>
      </span>
    </button>
  );
}

function formatReason({ reason, savesPercent }: FoundHours, start: Date, now: Date): string {
  const step = savesPercent > 0 ? `, with the ${savesPercent}% step` : '';
  const isEvening = start.getTime() > now.getTime() && describeSpan(start, start, studioDate(now)).endsWith('tonight');
  switch (reason) {
    case 'soonest':
      return `Soonest${step}`;
    case 'cheapest-today':
      return `Cheapest ${isEvening ? 'tonight' : 'today'}${step}`;
    case 'cheapest':
      return `Cheapest this week${step}`;
    case 'another-day':
      return `Cheapest on ${formatStudioDate(start, 'long').split(' ')[0] ?? ''}${step}`;
  }
}
