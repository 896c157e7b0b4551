import { useMutation } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { releaseHold } from '#web/data/bookings/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { leaveTo } from '#web/lib/leave.ts';
import { TimeLeft } from '#web/lib/time-left.tsx';
import { Button } from '#web/ui/button.tsx';
import type { BookingPage } from './queries.ts';

const HOUR_MS = 3_600_000;

/** New hours that are held until the difference is paid. The customer can pay or keep the old hours. */
export function WaitingMove({ waiting, now }: { waiting: NonNullable<BookingPage['waiting']>; now: Date }) {
  const { url, until, cents } = waiting;
  const release = useMutation({
    mutationFn: () => releaseHold(waiting.holdId),
    meta: { handled: true, invalidates: [queryKeys.ownBooking.all, queryKeys.availability.all] },
  });
  if (until <= now) return null;
  return (
    <section aria-label="Change that waits for your payment" className="border-l-4 border-warn bg-booth p-5 sm:p-6">
      <p className="font-bold text-warn">Not changed yet</p>
      <p className="mt-2 text-lg">
        {waiting.studioName}, {formatStudioRange(waiting.startTime, waiting.endTime)}
      </p>
      <p className="mt-1 text-fog">
        We hold these hours until {formatStudioTime(until)} Sydney time
        {until.getTime() - now.getTime() < HOUR_MS ? (
          <>
            {' '}
            (<TimeLeft until={until} /> left)
          </>
        ) : null}
        . Your booking moves there when you’ve paid {formatMoney(cents)}.
      </p>
      <div className="mt-5 flex flex-wrap gap-3">
        {url === null ? null : (
          <Button disabled={release.isPending} onClick={() => leaveTo(url)}>
            Pay {formatMoney(cents)}
          </Button>
        )}
        <Button tone="plain" busy={release.isPending} onClick={() => release.mutate()}>
          Keep my old hours
        </Button>
      </div>
      <Failure action={release} text="Nothing was changed. Please try again." className="mt-3 text-sm text-bad" />
    </section>
  );
}
