import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingPage, type Change, type ChangeQuote, makeChange, quoteChange } from './queries.ts';

/** Where a booking goes. */
type To = { readonly studioName: string; readonly start: Date; readonly end: Date };

/** Says what a change costs, and makes it: at once, or by leaving for the pay page. */
export function ChangeStep({
  booking,
  change,
  to,
  onDone,
  onBack,
}: {
  booking: BookingPage;
  change: Change;
  to: To;
  onDone: () => void;
  onBack: () => void;
}) {
  const studioId = change.kind === 'move' ? change.studioId : booking.studioId;
  const place = { studioId, startTime: to.start.toISOString(), endTime: to.end.toISOString() };
  const quote = useQuery({
    queryKey: queryKeys.moveQuote.of(booking.id, place),
    queryFn: () => quoteChange(booking.id, change),
    retry: false,
    gcTime: 0,
  });
  const { asking, make } = useChange(booking, change, onDone);
  const again = (): void => {
    make.reset();
    void quote.refetch();
  };
  if (quote.isPending) return <Skeleton className="h-40" label="Reading what it costs" />;
  if (quote.isError)
    return (
      <div className="space-y-4">
        <LoadFailed
          title="Your booking can’t change like this."
          why={describeError(quote.error, 'Check your connection.')}
          onRetry={again}
        />
        <Button tone="plain" onClick={onBack}>
          Choose again
        </Button>
      </div>
    );
  return (
    <div role="group" aria-label="Confirm" className="space-y-4">
      <Places booking={booking} to={to} />
      <QuoteWords quote={quote.data} />
      {asking ? (
        <Notice tone="warn">
          <p>The payment service is slow. Your new hours are held, and this continues by itself.</p>
        </Notice>
      ) : null}
      {make.isError ? (
        <LoadFailed
          title="Nothing was changed."
          why={describeError(make.error, 'Check your connection.')}
          onRetry={again}
        />
      ) : null}
      <div className="flex flex-wrap gap-3">
        <Button
          busy={make.isPending}
          disabled={quote.isFetching}
          onClick={() => make.mutate(quote.data.differenceCents)}
        >
          {labelOf(quote.data)}
        </Button>
        <Button tone="plain" disabled={make.isPending} onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}

/** Old and new hours. */
function Places({ booking, to }: { booking: BookingPage; to: To }) {
  return (
    <dl className="space-y-3 border-l-4 border-signal bg-deck p-4">
      <div>
        <dt className="text-sm text-fog">Now</dt>
        <dd className="line-through decoration-edge">
          {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
        </dd>
      </div>
      <div>
        <dt className="text-sm text-fog">New</dt>
        <dd className="font-bold">
          {to.studioName}, {formatStudioRange(to.start, to.end)}
        </dd>
      </div>
    </dl>
  );
}

/** Makes the change at the difference on the screen, and leaves for the pay page when it costs more. */
function useChange(booking: BookingPage, change: Change, onDone: () => void) {
  const { asking, open } = usePayPage();
  const make = useMutation({
    mutationFn: async (differenceCents: number) => {
      let done = false;
      const url = await open(async () => {
        const answer = await makeChange(booking.id, change, differenceCents);
        done = answer.waitsUntil === undefined;
        return { url: done ? '' : (answer.url ?? null) };
      });
      if (url !== null && url !== '') leaveTo(url);
      return done;
    },
    meta: {
      handled: true,
      invalidates: [queryKeys.ownBooking.all, queryKeys.ownBookings.all, queryKeys.availability.all],
    },
    onSuccess: (done) => {
      if (!done) return;
      toast({ title: 'Your booking is changed', description: 'We’ve emailed you the new details.' });
      onDone();
    },
  });
  return { asking, make };
}

const labelOf = ({ payUntil, differenceCents }: ChangeQuote): string =>
  payUntil === undefined ? 'Change my booking' : `Pay ${formatMoney(differenceCents)} and change`;

function QuoteWords({ quote: { differenceCents, refundCents, byHand, payUntil } }: { quote: ChangeQuote }) {
  if (payUntil !== undefined)
    return (
      <p>
        This costs <strong className="text-xl">{formatMoney(differenceCents)}</strong> more. We hold the new hours until{' '}
        {formatStudioTime(new Date(payUntil))} while you pay. Until then your booking stays as it is.
      </p>
    );
  if (refundCents > 0)
    return (
      <p>
        You get <strong className="text-xl">{formatMoney(refundCents)}</strong> back
        {byHand === true
          ? '. We’ll give it to you ourselves, because you didn’t pay online.'
          : ' on the card you paid with.'}
      </p>
    );
  return <p>The price stays the same{differenceCents > 0 ? ': such a small difference isn’t charged' : ''}.</p>;
}
