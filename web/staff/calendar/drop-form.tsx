import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { BOOKING_CHANGES, queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type Entry, moveBooking, type MoveQuote, quoteMove } from './queries.ts';
import { describeSpan, type Span, spanOfBusy, timesOf } from './span.ts';

/** Says what a move would change and asks once more. Dearer hours are paid or waived in the booking's own form. */
export function DropForm({
  entry,
  span,
  nameOf,
  onBooking,
  onClose,
}: {
  entry: Entry;
  span: Span;
  nameOf: (studioId: string) => string;
  onBooking: (reference: string) => void;
  onClose: () => void;
}) {
  const { start, end } = timesOf(span);
  const hours = { studioId: span.studioId, startTime: start.toISOString(), endTime: end.toISOString() };
  const target = { bookingId: entry.id, ...hours };
  const quote = useQuery({
    queryKey: queryKeys.moveQuote.of(entry.id, hours),
    queryFn: () => quoteMove(target),
    retry: false,
    gcTime: 0,
  });
  const move = useMutation({
    mutationFn: () => moveBooking(target),
    meta: { handled: true, invalidates: BOOKING_CHANGES },
    onSuccess: (moved) => {
      const reference = entry.reference ?? 'The booking';
      if (moved.waitsUntil === undefined) toast({ title: `${reference} is moved`, description: describeMoney(moved) });
      else toast({ title: `${reference} waits for its payment`, description: WAITS, tone: 'warn' });
      onClose();
    },
  });
  const from = spanOfBusy(entry);
  const problem = move.error ?? quote.error;
  const dearer = (quote.data?.differenceCents ?? 0) > 0;
  return (
    <div role="group" aria-label="Confirm" className="space-y-4">
      <div className="space-y-1 border-l-4 border-signal bg-deck p-4">
        <p className="font-semibold">
          {entry.label}, {entry.reference}
        </p>
        {from === null ? null : <p>From {describeSpan(from, nameOf(from.studioId))}</p>}
        <p>to {describeSpan(span, nameOf(span.studioId))}.</p>
        {quote.data === undefined ? null : <Effects quote={quote.data} entry={entry} />}
      </div>
      {quote.isPending ? <Skeleton className="h-6" label="Working out the price" /> : null}
      {problem === null ? null : (
        <Notice tone="bad">
          <p>{describeError(problem, 'Nothing was changed. Check your connection.')}</p>
        </Notice>
      )}
      <div className="flex flex-wrap gap-3">
        {dearer ? (
          // Another button than the one that moves: a press that was meant for it must not open the booking.
          <Button key="open" onClick={() => onBooking(entry.reference ?? '')}>
            Open the booking
          </Button>
        ) : quote.data?.needsMoney === true ? null : (
          <Button key="move" busy={move.isPending} disabled={quote.data === undefined} onClick={() => move.mutate()}>
            Move the booking
          </Button>
        )}
        <Button tone="plain" disabled={move.isPending} onClick={onClose}>
          Leave it
        </Button>
      </div>
    </div>
  );
}

function Effects({ quote, entry }: { quote: MoveQuote; entry: Entry }) {
  if (quote.differenceCents > 0)
    return (
      <p>
        The new hours cost {formatMoney(quote.differenceCents)} more, so nothing is moved here. Choose Move in the
        booking to send a link to pay, or to waive the difference.
      </p>
    );
  return (
    <>
      <p>{describeMoney(quote)}</p>
      {quote.needsMoney === true ? (
        <p>Its terms give nothing back, so this refund needs the permission for money. An owner can give it to you.</p>
      ) : null}
      <p>The PIN changes. {entry.email === null ? 'Nobody is mailed.' : `${entry.email} gets a mail.`}</p>
    </>
  );
}

function describeMoney({ refundCents, byHand, owedCents = 0 }: MoveQuote): string {
  if (refundCents === 0) return describeOwed(owedCents) ?? 'The price stays.';
  return `${formatMoney(refundCents)} ${byHand ? 'is to be given back by hand' : 'goes back to the card'}.`;
}

/** The price rose between the question and the answer. */
const WAITS = 'The new hours cost more meanwhile. The link to pay the difference is mailed.';
