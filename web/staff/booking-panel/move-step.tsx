import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { formatStudioDateTime, formatStudioRange } from '#rules/studio-time.ts';
import type { Booking, StaffBooking } from '#web/data/bookings/booking.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { useFrozen } from '#web/lib/use-stable.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import type { HoursChoice } from './hours-form.tsx';
import { type Move, moveBooking, type MoveQuote, quoteMove } from './queries.ts';
import { useUndo } from './use-undo.ts';

/** The fields of a booking that a move needs. No mail is sent if the customer has no address. */
type MovingBooking = Pick<Booking, 'id' | 'reference' | 'studioName' | 'startTime' | 'endTime'> & {
  readonly customer: Pick<StaffBooking['customer'], 'email'>;
};

/** Shows the cost of a move, and makes it: at once, or with a link to pay the difference. */
export function MoveStep({
  booking: current,
  studioName,
  target,
  mayRefund,
  leave = 'Back',
  onDone,
  onBack,
}: {
  booking: MovingBooking;
  studioName: string;
  target: Pick<HoursChoice, 'studioId' | 'start' | 'end'>;
  /** Whether the account has the permission `money`. */
  mayRefund: boolean;
  /** The label of the button that leaves the booking unchanged. */
  leave?: string;
  onDone: () => void;
  onBack: () => void;
}) {
  const to = { studioId: target.studioId, startTime: target.start.toISOString(), endTime: target.end.toISOString() };
  const query = useQuery({
    queryKey: queryKeys.moveQuote.of(current.id, to),
    queryFn: () => quoteMove(current.id, { ...to, waive: false }),
    retry: false,
    gcTime: 0,
  });
  const move = useMove(current, to, onDone);
  const booking = useFrozen(current, move.isPending);
  const quote = useFrozen(query.data, move.isPending);
  if (query.isError && !move.isPending)
    return (
      <div className="space-y-4">
        <LoadFailed
          title="The booking can’t be moved there."
          why={describeError(query.error, 'Check your connection.')}
          onRetry={() => void query.refetch()}
        />
        <Button tone="plain" onClick={onBack}>
          {leave}
        </Button>
      </div>
    );
  if (quote === undefined) return <Skeleton className="h-40" label="Checking the price" />;
  return (
    <div role="group" aria-label="Confirm" className="space-y-4">
      <div className="space-y-1 border-l-4 border-signal bg-deck p-4">
        <p>
          From {booking.studioName}, {formatStudioRange(booking.startTime, booking.endTime)}
        </p>
        <p>
          to {studioName}, {formatStudioRange(target.start, target.end)}.
        </p>
        <QuoteWords booking={booking} quote={quote} />
      </div>
      {move.error === null ? null : (
        <Notice tone="bad">
          <p>{describeError(move.error, 'Nothing was changed. Check your connection.')}</p>
        </Notice>
      )}
      <NeedsMoney quote={quote} mayRefund={mayRefund} />
      <div className="flex flex-wrap gap-3">
        <MoveButtons
          quote={quote}
          canLink={linkEnd(booking, quote) !== undefined}
          mayRefund={mayRefund}
          busy={move.isPending}
          onMove={(waive) => move.mutate({ waive })}
        />
        <Button tone="plain" disabled={move.isPending} onClick={onBack}>
          {leave}
        </Button>
      </div>
    </div>
  );
}

function useMove(booking: MovingBooking, to: Omit<Move, 'waive'>, onDone: () => void) {
  const undoing = useUndo();
  return useMutation({
    mutationFn: ({ waive }: { waive: boolean }) => moveBooking(booking.id, { ...to, waive }),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: ({ refundCents, byHand, waitsUntil, undo }) => {
      if (waitsUntil === undefined) {
        const back = byHand ? 'needs to be refunded by hand' : 'is being refunded';
        toast({
          title: `${booking.reference} has moved`,
          description: refundCents === 0 ? 'The price stays the same.' : `${formatMoney(refundCents)} ${back}.`,
          ...undoing(undo),
        });
      } else
        toast({
          title: `${booking.reference} is awaiting payment`,
          description: `The payment link was emailed. The new hours are held until ${describeUntil(waitsUntil)}.`,
        });
      onDone();
    },
  });
}

/** Returns until when the difference can be paid by link. Undefined if too little time is left, or if there is no address to which to mail it. */
const linkEnd = (booking: MovingBooking, { linkUntil }: MoveQuote): string | undefined =>
  booking.customer.email === null ? undefined : linkUntil;

const describeUntil = (instant: string): string => {
  const at = new Date(instant);
  return formatStudioDateTime(at);
};

function QuoteWords({ booking, quote }: { booking: MovingBooking; quote: MoveQuote }) {
  const { email } = booking.customer;
  const { differenceCents, refundCents, byHand, owedCents = 0 } = quote;
  const linkUntil = linkEnd(booking, quote);
  const mail =
    email === null ? 'No email will be sent, because the booking has no email address.' : `${email} will get an email.`;
  if (linkUntil !== undefined)
    return (
      <>
        <p>The new hours cost {formatMoney(differenceCents)} more.</p>
        <p>
          If you email a payment link, the new hours are held until {describeUntil(linkUntil)}, Sydney time. The booking
          moves once the difference is paid, and stays unchanged until then.
        </p>
        <p>{mail}</p>
      </>
    );
  return (
    <>
      {differenceCents > 0 ? (
        <p>
          The new hours cost {formatMoney(differenceCents)} more.{' '}
          {email === null ? 'There is no email address for a payment link.' : 'It is too late for a payment link.'}
        </p>
      ) : null}
      {differenceCents === 0 ? <p>{describeOwed(owedCents) ?? 'The price stays the same.'}</p> : null}
      {differenceCents < 0 ? (
        <p>
          {refundCents === 0
            ? 'The new hours cost less, but there is no payment to refund.'
            : `${formatMoney(refundCents)} ${byHand ? 'needs to be refunded by hand.' : 'will be refunded to the card.'}`}
        </p>
      ) : null}
      <p>The PIN changes. {mail}</p>
    </>
  );
}

/** Explains which options are missing because the account has no permission to give money away. */
function NeedsMoney({ quote, mayRefund }: { quote: MoveQuote; mayRefund: boolean }) {
  const words =
    quote.needsMoney === true
      ? 'Its terms allow no refund, so this refund needs the “Money” permission.'
      : quote.differenceCents > 0 && !mayRefund
        ? 'Moving it without charging needs the “Money” permission.'
        : null;
  return words === null ? null : <p className="text-sm text-fog">{words} An owner can give it to you.</p>;
}

function MoveButtons({
  quote: { differenceCents, needsMoney },
  canLink,
  mayRefund,
  busy,
  onMove,
}: {
  quote: MoveQuote;
  canLink: boolean;
  mayRefund: boolean;
  busy: boolean;
  onMove: (waive: boolean) => void;
}) {
  if (needsMoney === true) return null;
  if (differenceCents <= 0)
    return (
      <Button busy={busy} onClick={() => onMove(false)}>
        Move booking
      </Button>
    );
  return (
    <>
      {canLink ? (
        <Button busy={busy} onClick={() => onMove(false)}>
          Email payment link for {formatMoney(differenceCents)}
        </Button>
      ) : null}
      {mayRefund ? (
        <Button tone={canLink ? 'plain' : 'danger'} busy={busy} onClick={() => onMove(true)}>
          Move without charging {formatMoney(differenceCents)}
        </Button>
      ) : null}
    </>
  );
}
