import { useState } from 'react';
import { formatStudioTime, studioDate } from '#rules/studio-time.ts';
import { settings } from '#rules/venue.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Skeleton } from '#web/ui/notice.tsx';
import { ChangeStep } from './change-step.tsx';
import { endWith, freeAfter, useTaken } from './free-hours.ts';
import type { BookingPage } from './queries.ts';

/** How many further hours are offered. */
const MOST = 6;

/** Lets a booking end later, as far as the room is free, and says what it costs before anything changes. */
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
  if (taken.isError && !taken.data)
    return <LoadFailed title="We can’t show which hours are free right now." onRetry={() => void taken.refetch()} />;
  if (!taken.data) return <Skeleton className="h-32" label="Loading hours" />;
  const free = freeAfter(booking, taken.data.taken, Math.min(MOST, settings.maxHours - booking.totalHours));
  if (free === 0)
    return <p>Somebody has the room after you, so this session can’t end later. You can still move it.</p>;
  return (
    <div className="space-y-4">
      <p>It ends at {formatStudioTime(booking.endTime)}, Sydney time. How late would you like to stay?</p>
      <div role="group" aria-label="New end" className="flex flex-wrap gap-3">
        {Array.from({ length: free }, (_, index) => index + 1).map((hours) => (
          <Button key={hours} tone="plain" onClick={() => setMore(hours)}>
            {formatStudioTime(endWith(booking, hours))}
          </Button>
        ))}
      </div>
    </div>
  );
}
