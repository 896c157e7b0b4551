import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#rules/money.ts';
import { formatStudioRange, formatStudioTime } from '#rules/studio-time.ts';
import { type CardProblem, describeCardProblem, nameOfCard, useUsableCards } from '#web/data/account/saved-cards.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError } from '#web/lib/errors.ts';
import { describeOwed } from '#web/lib/business/owed.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useOnline } from '#web/lib/use-browser.ts';
import { useFrozen } from '#web/lib/use-stable.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { Button } from '#web/ui/button.tsx';
import { LoadFailed, Notice, Skeleton } from '#web/ui/notice.tsx';
import { toast } from '#web/ui/toast.tsx';
import { type BookingPage, type Change, type ChangeAnswer, makeChange, quoteChange } from './queries.ts';

/** The new room and hours of a booking. */
type To = { readonly studioName: string; readonly start: Date; readonly end: Date };

/**
 * Shows what a change costs, and makes the change: immediately, or by leaving for the pay page. The step keeps the booking and the new
 * hours as they were when it opened, because the payment itself moves the booking before its answer arrives.
 */
export function ChangeStep({
  booking,
  userId,
  onDone,
  onBack,
  ...chosen
}: {
  /** The booking as it was last read. */
  booking: BookingPage;
  userId: string;
  change: Change;
  to: To;
  onDone: () => void;
  onBack: () => void;
}) {
  const [{ change, to, before }] = useState({ ...chosen, before: booking });
  const { asking, make } = useChange(before, change, onDone);
  // True also while the browser leaves the page, and until this step closes.
  const working = make.isPending || make.isSuccess;
  const studioId = change.kind === 'move' ? change.studioId : before.studioId;
  const place = { studioId, startTime: to.start.toISOString(), endTime: to.end.toISOString() };
  const quote = useQuery({
    queryKey: queryKeys.moveQuote.of(before.id, place),
    queryFn: () => quoteChange(before.id, change),
    // The price that is being paid stays on the screen until the answer arrives.
    enabled: !working,
    retry: false,
    gcTime: 0,
  });
  const retry = (): void => {
    make.reset();
    void quote.refetch();
  };
  if (!working && !isSamePlace(booking, before)) return <MovedElsewhere booking={booking} onBack={onBack} />;
  if (quote.isPending) return <Skeleton className="h-40" label="Checking the price" />;
  if (quote.isError) return <Impossible error={quote.error} onRetry={retry} onBack={onBack} />;
  return (
    <div role="group" aria-label="Confirm" className="space-y-4">
      <Places booking={before} to={to} />
      <QuoteWords quote={quote.data} />
      {asking ? (
        <Notice tone="warn">
          <p>The payment service is slow. Your new hours are held, and this continues automatically.</p>
        </Notice>
      ) : null}
      {make.isError ? (
        <LoadFailed
          title="Nothing was changed."
          why={describeError(make.error, 'Check your connection.')}
          onRetry={retry}
        />
      ) : null}
      {make.data?.leave === undefined ? (
        <Choices
          userId={userId}
          quote={quote.data}
          busy={working ? make.variables?.card : undefined}
          disabled={quote.isFetching}
          onMake={(card) => make.mutate({ differenceCents: quote.data.differenceCents, card })}
          onBack={onBack}
        />
      ) : (
        <Refused {...make.data.leave} onBack={onBack} />
      )}
    </div>
  );
}

/** Shown if the booking was moved elsewhere in the meantime. */
function MovedElsewhere({ booking, onBack }: { booking: BookingPage; onBack: () => void }) {
  return (
    <div className="space-y-4">
      <Notice tone="warn">
        <p role="alert">
          Your booking has changed meanwhile. It’s now {booking.studioName},{' '}
          {formatStudioRange(booking.startTime, booking.endTime)}.
        </p>
      </Notice>
      <Button tone="plain" onClick={onBack}>
        Choose again
      </Button>
    </div>
  );
}

function Impossible({ error, onRetry, onBack }: { error: Error; onRetry: () => void; onBack: () => void }) {
  return (
    <div className="space-y-4">
      <LoadFailed
        title="Your booking can’t change like this."
        why={describeError(error, 'Check your connection.')}
        onRetry={onRetry}
      />
      <Button tone="plain" onClick={onBack}>
        Choose again
      </Button>
    </div>
  );
}

const isSamePlace = (booking: BookingPage, other: BookingPage): boolean =>
  booking.studioId === other.studioId &&
  booking.startTime.getTime() === other.startTime.getTime() &&
  booking.endTime.getTime() === other.endTime.getTime();

/** The old and the new hours. */
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

/** `leave`: why the saved card could not be charged, and the address at which the difference can be paid. */
type ChangeResult = {
  readonly done: boolean;
  readonly leave?: { readonly problem: CardProblem; readonly url: string };
};

const getProblem = (answer: ChangeAnswer | null): CardProblem | undefined => answer?.cardProblem;

/** Makes the change at the difference on the screen. If the change costs more, leaves for the pay page. */
function useChange(booking: BookingPage, change: Change, onDone: () => void) {
  const { asking, open } = usePayPage();
  const make = useMutation({
    mutationFn: async (how: { differenceCents: number; card: string | null }): Promise<ChangeResult> => {
      let answer: ChangeAnswer | null = null;
      const url = await open(async () => {
        answer = await makeChange(booking.id, change, how);
        return { url: answer.waitsUntil === undefined ? '' : (answer.url ?? null) };
      });
      if (url === null || url === '') return { done: url === '' };
      const problem = getProblem(answer);
      // The page first shows why the card could not be charged.
      if (problem !== undefined) return { done: false, leave: { problem, url } };
      leaveTo(url);
      return { done: false };
    },
    meta: {
      handled: true,
      invalidates: [
        queryKeys.ownBooking.all,
        queryKeys.ownBookings.all,
        queryKeys.availability.all,
        queryKeys.savedCards.all,
      ],
    },
    onSuccess: ({ done }) => {
      if (!done) return;
      toast({ title: 'Your booking is changed', description: 'We’ve emailed you the new details.' });
      onDone();
    },
  });
  useBackAgain(make.reset);
  return { asking, make };
}

/** The maximum number of saved cards that are offered. */
const CARDS = 3;

/** The ways to make a change: with a saved card if a payment is needed, or on the pay page. `busy`: the card that is being charged. */
function Choices({
  userId,
  quote,
  busy,
  disabled,
  onMake,
  onBack,
}: {
  userId: string;
  quote: ChangeAnswer;
  busy: string | null | undefined;
  disabled: boolean;
  onMake: (card: string | null) => void;
  onBack: () => void;
}) {
  const online = useOnline();
  const usable = useUsableCards(userId, quote.payUntil !== undefined);
  const working = busy !== undefined;
  const cards = useFrozen(usable.cards, working).slice(0, CARDS);
  return (
    <div className="flex flex-wrap gap-3">
      {cards.map((card, index) => (
        <Button
          key={card.id}
          tone={index === 0 ? 'signal' : 'plain'}
          busy={busy === card.id}
          disabled={disabled || working || !online}
          onClick={() => onMake(card.id)}
        >
          Pay {formatMoney(quote.differenceCents)} with {nameOfCard(card)}
        </Button>
      ))}
      <Button
        tone={cards.length === 0 ? 'signal' : 'plain'}
        busy={busy === null}
        disabled={disabled || working || usable.loading || !online}
        onClick={() => onMake(null)}
      >
        {cards.length === 0 ? getLabel(quote) : 'Pay another way'}
      </Button>
      <Button tone="plain" disabled={working} onClick={onBack}>
        Back
      </Button>
    </div>
  );
}

/** Shows why the saved card could not be charged, and links to the pay page. The new hours are held in the meantime. */
function Refused({ problem, url, onBack }: { problem: CardProblem; url: string; onBack: () => void }) {
  return (
    <div className="space-y-4">
      <Notice tone="warn">
        <p role="alert" className="font-semibold">
          {describeCardProblem(problem)}
        </p>
        <p className="mt-1">We hold the new hours while you pay.</p>
      </Notice>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => leaveTo(url)}>Go to the pay page</Button>
        <Button tone="plain" onClick={onBack}>
          Back
        </Button>
      </div>
    </div>
  );
}

const getLabel = ({ payUntil, differenceCents }: ChangeAnswer): string =>
  payUntil === undefined ? 'Change my booking' : `Pay ${formatMoney(differenceCents)} and change`;

function QuoteWords({ quote }: { quote: ChangeAnswer }) {
  const { differenceCents, refundCents, byHand, payUntil, owedCents = 0 } = quote;
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
  return <p>{describeOwed(owedCents) ?? 'The price stays the same.'}</p>;
}
