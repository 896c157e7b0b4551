import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { slotsWithMore, toSpan } from '#rules/slots.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { type CardProblem, describeCardProblem, nameOfCard, useUsableCards } from '#web/data/account/saved-cards.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, isRefused } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useFrozen } from '#web/lib/use-stable.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { toast } from '#web/ui/toast.tsx';
import { bigButton, mainButton } from './big-button.ts';
import { extend, type Extended, type ExtensionQuote, quoteExtension, type RoomSession } from './queries.ts';

/** Queries the price of another hour. */
function useQuote(session: RoomSession, enabled: boolean) {
  return useQuery({
    queryKey: queryKeys.sessionRoom.of('extension', session.id, session.end.toISOString()),
    queryFn: () => quoteExtension(session),
    enabled,
    retry: false,
    refetchInterval: 60_000,
  });
}

/**
 * Adds an hour with one tap, at the price on the button. The newest saved card pays; without a card, the pay page opens. Renders nothing if
 * the customer cannot extend. While an hour is being paid, the button and its price stay as they were when it was pressed, although the
 * payment moves the end of the session.
 */
export function Extension({
  session: current,
  userId,
  online,
}: {
  session: RoomSession;
  userId: string;
  online: boolean;
}) {
  const { asking, leaving, more } = useMore();
  const working = more.isPending || leaving || more.data?.unpaid !== undefined;
  const session = working && more.variables !== undefined ? more.variables.session : current;
  const quote = useQuote(session, online && !working);
  const until = endWithOneMore(session);
  const taken = isRefused<'extend-booking'>(quote.error, 'slot_taken', 'slot_closed');
  if (taken) return <p className="text-lg">The room isn’t free after you, so this session can’t end later.</p>;
  if (quote.data === undefined || until === null) return null;
  if (more.data?.unpaid !== undefined) return <Refused {...more.data.unpaid} onBack={() => more.reset()} />;
  return (
    <div className="w-full sm:w-auto">
      <Ways
        userId={userId}
        until={until}
        quote={quote.data}
        busy={working ? more.variables?.card : undefined}
        onMore={(card) => more.mutate({ session, until, differenceCents: quote.data.differenceCents, card })}
      />
      {asking ? (
        <p role="status" className="mt-2">
          The payment service is slow. Your hour is held, and this continues automatically.
        </p>
      ) : null}
      {more.isError && more.variables.session.end.getTime() === session.end.getTime() ? (
        <p role="alert" className="mt-2 font-semibold">
          {describeError(more.error, 'Nothing was changed. Please try again.')}
        </p>
      ) : null}
    </div>
  );
}

/** `unpaid`: why the saved card did not pay, and the address at which the hour can be paid. */
type ExtensionResult = {
  readonly done: boolean;
  readonly unpaid?: { readonly problem: CardProblem; readonly url: string };
};

/** The hour that was ordered: the session as shown, its new end, its price, and the saved card that pays, or null for the pay page. */
type Order = {
  readonly session: RoomSession;
  readonly until: Date;
  readonly differenceCents: number;
  readonly card: string | null;
};

/** Adds the hour, and leaves for the pay page if it has to be paid there. */
function useMore() {
  const { asking, open } = usePayPage();
  const more = useMutation({
    mutationFn: async ({ session, ...how }: Order): Promise<ExtensionResult> => {
      const answers: Extended[] = [];
      const url = await open(async () => {
        const answer = await extend(session, how);
        answers.push(answer);
        return answer;
      });
      if (url === null || url === '') return { done: url === '' };
      const problem = answers.at(-1)?.problem;
      // The page shows first why the card did not pay.
      if (problem !== undefined) return { done: false, unpaid: { problem, url } };
      leaveTo(url);
      return { done: false };
    },
    meta: {
      handled: true,
      invalidates: [
        queryKeys.sessionRoom.all,
        queryKeys.ownBooking.all,
        queryKeys.ownBookings.all,
        queryKeys.accessCode.all,
        queryKeys.availability.all,
        queryKeys.savedCards.all,
      ],
    },
    onSuccess: ({ done }, { until }) => {
      if (!done) return;
      toast({
        title: `Yours until ${formatStudioTime(until)}`,
        description: 'The door has a new code for you. Look at it before you leave the room.',
      });
    },
  });
  useBackAgain(more.reset);
  // The button stays busy while the browser leaves the page.
  return { asking, leaving: more.data?.done === false, more };
}

/** The ways to pay for the hour. `busy`: the card that is being charged, or null for the pay page. */
function Ways({
  userId,
  until,
  quote: { differenceCents, payUntil },
  busy,
  onMore,
}: {
  userId: string;
  until: Date;
  quote: ExtensionQuote;
  busy: string | null | undefined;
  onMore: (card: string | null) => void;
}) {
  const { cards, loading } = useUsableCards(userId, payUntil !== undefined);
  const card = useFrozen(cards, busy !== undefined)[0] ?? null;
  const disabled = loading || busy !== undefined;
  const price = payUntil === undefined ? 'free' : formatMoney(differenceCents);
  return (
    <div className="flex flex-col gap-4 sm:flex-row sm:flex-wrap">
      <button
        type="button"
        className={`${mainButton} flex-wrap gap-y-0 py-2`}
        disabled={disabled}
        aria-busy={busy !== undefined && busy === (card?.id ?? null)}
        onClick={() => onMore(card?.id ?? null)}
      >
        Stay until {formatStudioTime(until)}
        <span className="font-normal">
          {price}
          {card === null ? '' : ` with ${nameOfCard(card)}`}
        </span>
      </button>
      {card === null ? null : (
        <button
          type="button"
          className={bigButton}
          disabled={disabled}
          aria-busy={busy === null}
          onClick={() => onMore(null)}
        >
          Pay {price} another way
        </button>
      )}
    </div>
  );
}

/** Shows why the saved card did not pay, and leads to the pay page. The hour is held in the meantime. */
function Refused({ problem, url, onBack }: { problem: CardProblem; url: string; onBack: () => void }) {
  return (
    <div className="flex w-full flex-col gap-4 sm:w-auto">
      <p role="alert" className="border-l-4 border-black pl-3 text-lg">
        <strong>{describeCardProblem(problem)}</strong> We hold the hour while you pay.
      </p>
      <button type="button" className={mainButton} onClick={() => leaveTo(url)}>
        Go to the pay page
      </button>
      <button type="button" className={bigButton} onClick={onBack}>
        Back
      </button>
    </div>
  );
}

function endWithOneMore({ start, end }: RoomSession): Date | null {
  const slots = slotsWithMore(start, end, 1);
  return slots === null ? null : toSpan(slots).end;
}
