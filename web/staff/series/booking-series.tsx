import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange } from '#rules/studio-time.ts';
import type { Booking, SeriesBooking } from '#web/data/bookings/booking.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { Failure } from '#web/lib/business/failure.tsx';
import { paths } from '#web/lib/paths.ts';
import { useNow } from '#web/lib/use-now.ts';
import { Link } from '#web/router/router.tsx';
import { Button } from '#web/ui/button.tsx';
import { Confirm } from '#web/ui/form/confirm.tsx';
import { SelectField } from '#web/ui/choice.tsx';
import { Field } from '#web/ui/field.tsx';
import { LoadFailed } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { cancelSeries, readSeries } from './queries.ts';

const WORDS: Readonly<Partial<Record<Booking['status'], string>>> = {
  pending: 'awaiting payment',
  cancelled: 'cancelled',
};

/** The other bookings of a series, with a button that cancels all remaining bookings. Shows nothing for a single booking. */
export function BookingSeries({
  bookingId,
  reference,
  mayRefund,
}: {
  bookingId: string;
  reference: string;
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
}) {
  const read = useQuery({
    queryKey: [...queryKeys.staffBooking.of(reference), 'series'],
    queryFn: () => readSeries(reference),
  });
  const now = useNow(60_000);
  const [asking, setAsking] = useState(false);
  if (read.isError && !read.data)
    return <LoadFailed title="The series could not be loaded." onRetry={() => void read.refetch()} />;
  const series = read.data ?? null;
  const own = series?.bookings.find((booking) => booking.reference === reference);
  if (series === null || own === undefined) return null;
  const remaining = series.bookings.filter(({ status, endTime }) => status === 'confirmed' && endTime > now);
  return (
    <section aria-label="Series">
      <h3 className="font-bold">
        {own.place} of {series.size} in a series
      </h3>
      <ol className="mt-2 divide-y divide-line">
        {series.bookings.map((booking) => (
          <Row key={booking.reference} booking={booking} here={booking === own} />
        ))}
      </ol>
      {remaining.length < 2 ? null : asking ? (
        <CancelAll bookingId={bookingId} remaining={remaining} mayRefund={mayRefund} onDone={() => setAsking(false)} />
      ) : (
        <Button tone="quiet" className="mt-2" onClick={() => setAsking(true)}>
          Cancel all {remaining.length} remaining
        </Button>
      )}
    </section>
  );
}

function Row({ booking, here }: { booking: SeriesBooking; here: boolean }) {
  const when = formatStudioRange(booking.startTime, booking.endTime);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 py-1" aria-current={here ? 'true' : undefined}>
      {here ? (
        <strong>{when}</strong>
      ) : (
        <Link
          to={`${paths.admin}?booking=${booking.reference}`}
          className="inline-flex min-h-11 items-center underline decoration-edge underline-offset-4 hover:text-signal"
        >
          {when}
        </Link>
      )}
      <span className="text-sm text-fog tabular-nums">{WORDS[booking.status] ?? formatMoney(booking.finalCents)}</span>
    </li>
  );
}

const REFUNDS = [
  { value: 'terms', label: 'By the terms of each booking' },
  { value: 'full', label: 'Full refund' },
  { value: 'none', label: 'No refund' },
] as const;

/** Asks for the reason and the refund. The cancellation cannot be undone. */
function CancelAll({
  bookingId,
  remaining,
  mayRefund,
  onDone,
}: {
  bookingId: string;
  remaining: readonly SeriesBooking[];
  mayRefund: boolean;
  onDone: () => void;
}) {
  const [refund, setRefund] = useState<(typeof REFUNDS)[number]['value']>(mayRefund ? 'full' : 'terms');
  const [reason, setReason] = useState('');
  const cancel = useMutation({
    mutationFn: () => cancelSeries(bookingId, refund, reason.trim()),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ cancelled, refundCents, byHand }) => {
      const back = byHand === true ? 'needs to be refunded by hand' : 'is being refunded';
      toast({
        title: `${cancelled} bookings cancelled`,
        description: refundCents === 0 ? 'No refund was made.' : `${formatMoney(refundCents)} ${back}.`,
      });
      onDone();
    },
  });
  return (
    <div role="group" aria-label="Cancel series" className="mt-3 space-y-4 border-l-4 border-signal bg-deck p-4">
      <p>
        The hours of {remaining.length} bookings are available immediately, and their PINs stop working. The customer
        gets an email for each booking. You can’t undo this.
      </p>
      {mayRefund ? (
        <SelectField
          label="Refund"
          value={refund}
          options={REFUNDS}
          onChange={(event) => setRefund(REFUNDS.find(({ value }) => value === event.target.value)?.value ?? 'terms')}
        />
      ) : (
        <p>Each booking is refunded by its terms. A different refund needs the “Money” permission.</p>
      )}
      <Field
        label="Reason"
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      <Failure action={cancel} text="Nothing was changed. Check your connection." />
      <Confirm action={cancel} disabled={reason.trim() === ''} keep="Keep bookings" onKeep={onDone}>
        Cancel {remaining.length} bookings
      </Confirm>
    </div>
  );
}
