import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { constants } from '#rules/venue.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Loaded } from '#web/ui/progress.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { ChangeStep } from './change-step.tsx';
import { endWith, freeAfter, useTaken } from './free-hours.ts';
import { type BookingPage, quoteChange } from './queries.ts';

/** The maximum number of additional hours that are offered. */
const MOST = 6;

/** Lets the customer extend a booking while the room is free, and shows the cost before anything changes. */
export function ExtendForm({ booking, userId, onDone }: { booking: BookingPage; userId: string; onDone: () => void }) {
  const [more, setMore] = useState<number | null>(null);
  const taken = useTaken(booking.studioId, studioDate(booking.endTime), userId);
  if (more !== null)
    return (
      <ChangeStep
        booking={booking}
        userId={userId}
        change={{ kind: 'extend', more, from: booking.endTime }}
        to={{ studioName: booking.studioName, start: booking.startTime, end: endWith(booking, more) }}
        onDone={onDone}
        onBack={() => setMore(null)}
      />
    );
  return (
    <Loaded query={taken} what="hours" failed="We can’t show which hours are free right now." skeleton="h-32">
      {(day) => {
        const free = freeAfter(booking, day.taken, Math.min(MOST, constants.maxHours - booking.totalHours));
        if (free === 0)
          return <p>Someone has the room after you, so this session can’t end later. You can still move it.</p>;
        return (
          <div className="space-y-4">
            <p>It ends at {formatStudioTime(booking.endTime)}, Sydney time. How late would you like to stay?</p>
            <div role="group" aria-label="New end" className="grid grid-cols-2 gap-2 sm:grid-cols-3">
              {Array.from({ length: free }, (_, index) => index + 1).map((hours) => (
                <LaterEnd key={hours} booking={booking} more={hours} onChoose={() => setMore(hours)} />
              ))}
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

/** A later end and its extra cost. The server computes the cost, because additional hours can bring a discount for all hours. */
function LaterEnd({ booking, more, onChoose }: { booking: BookingPage; more: number; onChoose: () => void }) {
  const end = endWith(booking, more);
  const { data, isPending } = useQuery({
    queryKey: queryKeys.moveQuote.of(booking.id, {
      studioId: booking.studioId,
      startTime: booking.startTime.toISOString(),
      endTime: end.toISOString(),
    }),
    queryFn: () => quoteChange(booking.id, { kind: 'extend', more, from: booking.endTime }),
    retry: false,
  });
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex min-h-16 flex-col items-start justify-between border-2 border-edge bg-booth px-3 py-2 text-left tabular-nums hover:border-chalk"
    >
      <span className="font-bold">{formatStudioTime(end)}</span>
      <span className="text-sm text-fog">
        {isPending ? (
          <Skeleton className="h-4 w-14" label="Checking the price" />
        ) : data === undefined ? (
          'Price in the next step'
        ) : data.differenceCents > 0 ? (
          `${formatMoney(data.differenceCents)} more`
        ) : (
          'No extra cost'
        )}
      </span>
    </button>
  );
}
