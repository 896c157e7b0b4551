import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDateTime, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import type { OwnBooking } from '#web/data/bookings/booking.ts';
import { costOfHold, releaseHold } from '#web/data/bookings/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { useFinishPaying } from '#web/data/drafts/use-finish-paying.ts';
import { drafts } from '#web/lib/drafts.ts';
import { TimeLeft } from '#web/lib/time-left.tsx';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** Shows an unpaid hold with Finish paying and Release. */
export function OpenHoldNotice({
  hold,
  brief = false,
  onReleased,
}: {
  hold: OwnBooking;
  /** Shows a shorter text, for small spaces. */
  brief?: boolean;
  onReleased: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const finishPaying = useFinishPaying();
  const release = useMutation({
    mutationFn: () => releaseHold(hold.id),
    meta: {
      failure: 'Please try again in a moment.',
      invalidates: [queryKeys.ownBookings.all, queryKeys.availability.all],
    },
    onSuccess: () => {
      drafts.removeBooking();
      onReleased();
    },
    onSettled: () => setAsking(false),
  });
  return (
    <Notice tone="warn">
      <HoldText hold={hold} brief={brief} />
      {asking ? (
        <div className="mt-3 space-y-3">
          <p>Someone else could book them straight away.</p>
          <Confirm action={release} keep="Keep them" onKeep={() => setAsking(false)}>
            Yes, release them
          </Confirm>
        </div>
      ) : (
        <div className="mt-3 flex flex-wrap gap-3">
          <Button tone="plain" onClick={() => finishPaying(hold)}>
            Finish paying
          </Button>
          <Button tone="quiet" onClick={() => setAsking(true)}>
            Release these hours
          </Button>
        </div>
      )}
    </Notice>
  );
}

function HoldText({ hold, brief }: { hold: OwnBooking; brief: boolean }) {
  const { startTime: start, endTime: end } = hold;
  const expiry = hold.holdExpiresAt ?? hold.createdAt;
  const until = formatStudioTime(expiry);
  const price = formatMoney(costOfHold(hold));
  const more = hold.series === null ? '' : ` and ${hold.series.bookings.length - 1} more dates`;
  return brief ? (
    <p className="text-sm">
      <strong>{hold.studioName}</strong>, {formatStudioDateTime(start)} to {formatStudioTime(end)}
      {more}. {price}, held until {until} (<TimeLeft until={expiry} /> left). Reference {hold.reference}.
    </p>
  ) : (
    <p>
      You haven’t finished paying for <strong>{hold.studioName}</strong>, {formatStudioRange(start, end)}
      {more} (Sydney time). We’re holding the hours for you until {until} (<TimeLeft until={expiry} /> left), for{' '}
      <strong>{price}</strong>
      {hold.couponCode === null ? '' : ` with your code ${hold.couponCode}`}. Reference {hold.reference}.
    </p>
  );
}
