import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { cancellationTerms } from '#rules/cancellation.ts';
import { dollarsToCents, formatMoney } from '#rules/money.ts';
import { formatStudioDate, formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { venue } from '#rules/venue.ts';
import { draftOfHold } from '#web/data/booking-draft.ts';
import { drafts } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { isOpenHold, type OwnBooking, readOwnBookings } from '#web/data/own-bookings.ts';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Button, buttonStyle } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Empty, Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { cancelBooking, releaseHold } from './queries.ts';

const money = (dollars: number): string => formatMoney(dollarsToCents(dollars) ?? 0);

/** Lists unpaid holds with Finish paying, payments in process, upcoming bookings with access code and Cancel, and past ones collapsed. */
export function OwnBookings({ userId }: { userId: string }) {
  const now = useNow(30_000);
  const bookings = useQuery({ queryKey: ['own-bookings', userId], queryFn: readOwnBookings });
  const [cancelling, setCancelling] = useState<OwnBooking | null>(null);
  const [done, setDone] = useState<string | null>(null);

  if (bookings.isError) {
    return (
      <Notice tone="bad">
        <p>Your bookings could not be loaded.</p>
        <Button tone="plain" className="mt-3" onClick={() => void bookings.refetch()}>
          Try again
        </Button>
      </Notice>
    );
  }
  if (!bookings.data) return <Skeleton className="h-56" label="Loading your bookings" />;
  const upcoming = bookings.data
    .filter((one) => one.status === 'confirmed' && new Date(one.end_time) > now)
    .toReversed();
  const unpaid = bookings.data.filter((one) => isOpenHold(one, now));
  const processing = bookings.data.filter((one) => one.status === 'pending' && one.payment?.state === 'processing');
  const past = bookings.data.filter((one) => one.status !== 'pending' && !upcoming.includes(one));
  return (
    <div className="space-y-4">
      {done === null ? null : (
        <Notice tone="good">
          <p>{done}</p>
        </Notice>
      )}
      {unpaid.map((hold) => (
        <Unpaid key={hold.id} hold={hold} />
      ))}
      {processing.map((booking) => (
        <Processing key={booking.id} booking={booking} />
      ))}
      {upcoming.length + processing.length + unpaid.length === 0 ? (
        <Empty>
          <p className="text-lg text-chalk">{bookings.data.length === 0 ? 'No bookings yet' : 'Nothing coming up'}</p>
          <p className="mt-1">Pick a room and your hours, and your access code will show up here.</p>
          <Link to={paths.booking} className={`${buttonStyle.signal} mt-5`}>
            Book Now
          </Link>
        </Empty>
      ) : null}
      {upcoming.map((booking) => (
        <Upcoming key={booking.id} booking={booking} now={now} onCancel={() => setCancelling(booking)} />
      ))}
      {past.length > 0 ? <Past bookings={past} /> : null}
      <Dialog open={cancelling !== null} title="Cancel this booking?" onClose={() => setCancelling(null)}>
        {cancelling ? (
          <CancelQuestion
            booking={cancelling}
            now={now}
            onKeep={() => setCancelling(null)}
            onDone={(said) => {
              setDone(said);
              setCancelling(null);
            }}
          />
        ) : null}
      </Dialog>
    </div>
  );
}

/** A hold that is not paid for yet. */
function Unpaid({ hold }: { hold: OwnBooking }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [sure, setSure] = useState(false);
  const release = useMutation({
    mutationFn: () => releaseHold(hold.id),
    onSettled: () => client.invalidateQueries({ queryKey: ['own-bookings'] }),
  });
  function finishPaying(): void {
    const draft = draftOfHold(hold);
    if (draft === null) return;
    drafts.keepBooking(draft);
    drafts.keepCouponCode(hold.coupon_code);
    void navigate(paths.checkout);
  }
  return (
    <article className="border-l-4 border-warn bg-booth p-5 sm:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-3xl">{hold.studio_name}</h3>
        <p className="font-bold text-warn">Not paid yet</p>
      </div>
      <p className="mt-3 text-lg">
        {formatStudioRange(new Date(hold.start_time), new Date(hold.end_time))}{' '}
        <span className="text-dust">Sydney time</span>
      </p>
      <p className="mt-1 text-sm text-fog">
        Reference <strong className="text-chalk">{hold.reference}</strong>, {money(hold.final_cost)}
        {hold.coupon_code === null ? '' : ` with your code ${hold.coupon_code}`}
      </p>
      <div className="mt-5 flex flex-wrap gap-3">
        {sure ? (
          <>
            <p className="w-full">Someone else could book them straight away.</p>
            <Button tone="danger" busy={release.isPending} onClick={() => release.mutate()}>
              Yes, release them
            </Button>
            <Button tone="plain" disabled={release.isPending} onClick={() => setSure(false)}>
              Keep them
            </Button>
          </>
        ) : (
          <>
            <Button onClick={finishPaying}>Finish paying</Button>
            <Button tone="quiet" onClick={() => setSure(true)}>
              Release these hours
            </Button>
          </>
        )}
      </div>
      {release.isError ? (
        <p role="alert" className="mt-3 text-sm text-bad">
          {describeError(release.error, 'We couldn’t release the hours. Please try again.')}
        </p>
      ) : null}
      <p className="mt-3 text-sm text-dust">
        We’re holding these hours for you until {formatStudioTime(new Date(hold.hold_expires_at ?? hold.created_at))}{' '}
        Sydney time.
      </p>
    </article>
  );
}

function Upcoming({ booking, now, onCancel }: { booking: OwnBooking; now: Date; onCancel: () => void }) {
  const start = new Date(booking.start_time);
  const policy = cancellationTerms(start, now, booking.free_cancel_hours ?? undefined);
  return (
    <article className="border-l-4 border-signal bg-booth p-5 sm:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-3xl">{booking.studio_name}</h3>
        {start <= now ? <p className="font-bold text-signal">On now</p> : null}
      </div>
      <p className="mt-3 text-lg">
        {formatStudioRange(start, new Date(booking.end_time))} <span className="text-dust">Sydney time</span>
      </p>
      <p className="mt-1 text-sm text-fog">
        Reference <strong className="text-chalk">{booking.reference}</strong>, {money(booking.final_cost)}
      </p>
      <div className="mt-5 flex flex-wrap gap-3">
        <Link to={paths.regeneratePin(booking.id)} className={buttonStyle.plain}>
          Access code
        </Link>
        {policy.allowed ? (
          <Button tone="danger" onClick={onCancel}>
            Cancel
          </Button>
        ) : null}
      </div>
      <p className="mt-3 text-sm text-dust">
        {policy.allowed
          ? `Free to cancel until ${formatStudioTime(policy.until)} on ${formatStudioDate(policy.until, 'medium')}, Sydney time.`
          : `To change this booking now, email ${venue.email}.`}
      </p>
    </article>
  );
}

/** A booking whose payment takes the bank days: held, not confirmed yet. */
function Processing({ booking }: { booking: OwnBooking }) {
  return (
    <article className="border-l-4 border-dashed border-warn bg-booth p-5 sm:p-6">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h3 className="text-3xl">{booking.studio_name}</h3>
        <p className="font-bold">Payment processing</p>
      </div>
      <p className="mt-3 text-lg">
        {formatStudioRange(new Date(booking.start_time), new Date(booking.end_time))}{' '}
        <span className="text-dust">Sydney time</span>
      </p>
      <p className="mt-1 text-sm text-fog">
        Reference <strong className="text-chalk">{booking.reference}</strong>, {money(booking.final_cost)}
      </p>
      <p className="mt-3 text-sm text-fog">
        Your bank is processing the payment, which can take a few business days. We’re holding your time, and we’ll
        email you as soon as we know.
      </p>
    </article>
  );
}

/** Says what happened to the money of a past or cancelled booking; '' when there is nothing to say. */
function moneyNote({ payment, status }: OwnBooking): string {
  if (payment === null) return '';
  if (payment.state === 'refund_pending' || payment.state === 'refund_failed') return ', refund on its way';
  if (payment.refunded > 0) return `, ${money(payment.refunded)} refunded`;
  return payment.state === 'failed' && status === 'cancelled' ? ', payment failed' : '';
}

function CancelQuestion({
  booking,
  now,
  onKeep,
  onDone,
}: {
  booking: OwnBooking;
  now: Date;
  onKeep: () => void;
  onDone: (said: string) => void;
}) {
  const client = useQueryClient();
  const start = new Date(booking.start_time);
  const policy = cancellationTerms(start, now, booking.free_cancel_hours ?? undefined);
  const cancel = useMutation({
    mutationFn: () => cancelBooking(booking.id),
    onSuccess: async ({ refund, amount }) => {
      const said =
        refund === 'full' && amount > 0
          ? `Your booking ${booking.reference} is cancelled. ${money(amount)} is on its way back to your card.`
          : `Your booking ${booking.reference} is cancelled.`;
      await client.invalidateQueries({ queryKey: ['own-bookings'] });
      toast({ title: 'Booking cancelled', description: said });
      onDone(said);
    },
    // It may have been too late, or cancelled in another tab: refresh the list.
    onError: () => void client.invalidateQueries({ queryKey: ['own-bookings'] }),
  });
  const refund = booking.final_cost > 0 && policy.refund === 'full';
  return (
    <div className="space-y-5">
      <p>
        {booking.studio_name}, {formatStudioRange(start, new Date(booking.end_time))}, Sydney time.
      </p>
      <p className="border-l-4 border-signal bg-deck p-4">
        {refund ? (
          <>
            You’ll get the full <strong className="text-xl">{money(booking.final_cost)}</strong> back on the card you
            paid with.
          </>
        ) : booking.final_cost > 0 ? (
          `Your booking starts in less than ${policy.freeHours} hours, so please email ${venue.email} instead.`
        ) : (
          'You weren’t charged for this booking, so there’s nothing to refund.'
        )}
      </p>
      <p className="text-sm text-fog">You can’t undo this, and someone else could book the hours.</p>
      {cancel.isError ? (
        <Notice tone="bad">
          <p>{describeError(cancel.error, 'The booking could not be cancelled. Please try again.')}</p>
        </Notice>
      ) : null}
      <div className="flex flex-wrap gap-3">
        <Button tone="danger" busy={cancel.isPending} disabled={!policy.allowed} onClick={() => cancel.mutate()}>
          Cancel booking
        </Button>
        <Button tone="plain" disabled={cancel.isPending} onClick={onKeep}>
          Keep it
        </Button>
      </div>
    </div>
  );
}

function Past({ bookings }: { bookings: readonly OwnBooking[] }) {
  return (
    <details className="bg-booth p-4">
      <summary className="min-h-8 cursor-pointer font-semibold">Past and cancelled ({bookings.length})</summary>
      <ul className="mt-3 divide-y divide-line text-sm text-fog">
        {bookings.map((booking) => (
          <li key={booking.id} className="flex flex-wrap justify-between gap-x-4 py-2">
            <span>
              {formatStudioDate(new Date(booking.start_time), 'medium')}, {booking.studio_name}
              {booking.status === 'cancelled' ? ` (cancelled${moneyNote(booking)})` : ''}
            </span>
            <span className="text-dust">{booking.reference}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
