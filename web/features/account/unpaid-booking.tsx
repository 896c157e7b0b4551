import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { costOfHold, releaseHold } from '#web/data/bookings/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useFinishPaying } from '#web/data/drafts/use-finish-paying.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { TimeLeft } from '#web/lib/time-left.tsx';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';

/** A hold that has not been paid for yet. */
export function UnpaidBooking({ hold }: { hold: OwnBooking }) {
  const finishPaying = useFinishPaying();
  const [sure, setSure] = useState(false);
  const expiry = hold.holdExpiresAt ?? hold.createdAt;
  const release = useMutation({
    mutationFn: () => releaseHold(hold.id),
    meta: { handled: true, invalidates: [queryKeys.ownBookings.all] },
  });
  return (
    <article className="border-l-4 border-warn bg-booth p-5 sm:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-3xl">{hold.studioName}</h3>
        <p className="font-bold text-warn">Not paid yet</p>
      </div>
      <p className="mt-3 text-lg">
        {formatStudioRange(hold.startTime, hold.endTime)}
        {hold.series === null ? null : ` and ${hold.series.bookings.length - 1} more dates`}
      </p>
      <p className="mt-1 text-sm text-fog">
        Reference <strong className="text-chalk">{hold.reference}</strong>, {formatMoney(costOfHold(hold))}
        {hold.couponCode === null ? '' : ` with your code ${hold.couponCode}`}
      </p>
      {sure ? (
        <div className="mt-5 space-y-3">
          <p>Someone else could book them straight away.</p>
          <Confirm action={release} keep="Keep them" onKeep={() => setSure(false)}>
            Yes, release them
          </Confirm>
        </div>
      ) : (
        <div className="mt-5 flex flex-wrap gap-3">
          <Button onClick={() => finishPaying(hold)}>Finish paying</Button>
          <Button tone="quiet" onClick={() => setSure(true)}>
            Release these hours
          </Button>
        </div>
      )}
      <Failure
        action={release}
        text="We couldn’t release the hours. Please try again."
        className="mt-3 text-sm text-bad"
      />
      <p className="mt-3 text-sm text-dust">
        We’re holding these hours for you until {formatStudioTime(expiry)} (<TimeLeft until={expiry} /> left).
      </p>
    </article>
  );
}
