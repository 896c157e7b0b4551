import { Sparkles } from 'lucide-react';
import type { ReactNode } from 'react';
import { describeSpan } from '#rules/finding/span-words.ts';
import type { StudioHours } from '#rules/nearest-free.ts';
import { slotKey, toSpan } from '#rules/slots.ts';
import { studioDate } from '#rules/studio-time.ts';
import { useOwnBookings } from '#web/data/bookings/own-bookings.ts';
import { drafts } from '#web/lib/drafts.ts';
import { findFavourites } from './favourites.ts';

const CHIP =
  'inline-flex min-h-12 items-center justify-center gap-2 border-2 px-4 text-sm font-semibold max-sm:grow max-sm:px-2 whitespace-nowrap shrink-0 border-line bg-booth hover:border-chalk aria-expanded:border-chalk';

/**
 * Shortcuts above the rooms: the search in any room, and hours that the customer may want again. On a phone the latter have their own row,
 * so that they are visible. The height does not change when they load.
 */
export function Shortcuts({
  studios,
  userId,
  now,
  searching,
  before,
  onSearch,
  onTake,
}: {
  studios: readonly { readonly id: string; readonly name: string }[];
  userId: string | null;
  now: Date;
  searching: boolean;
  /** Content at the beginning of the row. */
  before: ReactNode;
  onSearch: () => void;
  onTake: (hours: StudioHours) => void;
}) {
  const bookings = useOwnBookings(userId);
  const favourites = findFavourites({ last: drafts.lastBooked(), bookings: bookings.data ?? [] }, now);
  return (
    <div className="-m-1.5 mb-3.5 flex gap-2 overflow-x-auto p-1.5 max-sm:flex-col">
      <div className="flex shrink-0 gap-2 max-sm:flex-wrap max-[24.25rem]:[&_svg]:hidden">
        {before}
        <button type="button" aria-expanded={searching} onClick={onSearch} className={CHIP}>
          <Sparkles aria-hidden="true" className="size-4 text-signal" />
          Find me a time
        </button>
      </div>
      {favourites.length > 0 || bookings.isLoading ? (
        <div className="flex min-h-12 gap-2 max-sm:overflow-x-auto">
          {favourites.map((hours) => {
            const studio = studios.find(({ id }) => id === hours.studioId);
            const { start, end } = toSpan(hours.slots);
            return studio ? (
              <button
                key={`${hours.studioId} ${hours.slots.map(slotKey).join()}`}
                type="button"
                onClick={() => onTake(hours)}
                className={CHIP}
              >
                <span className="text-signal">{hours.booked ? 'Again:' : 'Last chosen:'}</span> {studio.name},{' '}
                {describeSpan(start, end, studioDate(now))}
              </button>
            ) : null;
          })}
        </div>
      ) : null}
    </div>
  );
}
