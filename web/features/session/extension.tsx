import { useMutation, useQuery } from '@tanstack/react-query';
import { formatMoney } from '#rules/money.ts';
import { slotsWithMore, spanOf } from '#rules/slots.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { describeError, errorCode } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { toast } from '#web/ui/toast.tsx';
import { mainButton } from './big-button.ts';
import { extend, quoteExtension, type RoomSession } from './queries.ts';

/** Queries what a further hour costs, while the customer is signed in. */
export function useExtension(session: RoomSession, wanted: boolean) {
  return useQuery({
    queryKey: queryKeys.sessionRoom.of('extension', session.id, session.end.toISOString()),
    queryFn: () => quoteExtension(session),
    enabled: wanted,
    retry: false,
    refetchInterval: 60_000,
  });
}

/** Adds an hour with one tap, and leaves for the pay page where it is to be paid. Says nothing where the customer cannot extend. */
export function Extension({ session, quote }: { session: RoomSession; quote: ReturnType<typeof useExtension> }) {
  const { asking, open } = usePayPage();
  const until = endWithOneMore(session);
  const more = useMutation({
    mutationFn: async (differenceCents: number) => {
      const url = await open(async () => ({ url: await extend(session, differenceCents) }));
      if (url !== null && url !== '') leaveTo(url);
      return url === '';
    },
    meta: {
      handled: true,
      invalidates: [
        queryKeys.sessionRoom.all,
        queryKeys.ownBooking.all,
        queryKeys.ownBookings.all,
        queryKeys.accessCode.all,
        queryKeys.availability.all,
      ],
    },
    onSuccess: (done) => {
      if (done && until !== null)
        toast({ title: `Yours until ${formatStudioTime(until)}`, description: 'Your code works until then, too.' });
    },
    onError: () => void quote.refetch(),
  });
  const taken = quote.isError && ['slot_taken', 'slot_closed'].includes(errorCode(quote.error));
  if (taken) return <p className="text-lg">The room isn’t free after you, so this session can’t end later.</p>;
  if (quote.data === undefined || until === null) return null;
  const { differenceCents, payUntil } = quote.data;
  return (
    <div>
      <button
        type="button"
        className={mainButton}
        disabled={more.isPending}
        aria-busy={more.isPending}
        onClick={() => more.mutate(differenceCents)}
      >
        Stay until {formatStudioTime(until)}
        <span className="font-normal">{payUntil === undefined ? 'free' : formatMoney(differenceCents)}</span>
      </button>
      {asking ? (
        <p role="status" className="mt-2">
          The payment service is slow. Your hour is held, and this continues by itself.
        </p>
      ) : null}
      {more.isError ? (
        <p role="alert" className="mt-2 font-semibold">
          {describeError(more.error, 'Nothing was changed. Please try again.')}
        </p>
      ) : null}
    </div>
  );
}

function endWithOneMore({ start, end }: RoomSession): Date | null {
  const slots = slotsWithMore(start, end, 1);
  return slots === null ? null : spanOf(slots).end;
}
