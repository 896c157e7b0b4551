import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pollWhile, useLive } from '#web/data/live.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { dropServerDraft } from '#web/data/drafts/server-draft.ts';
import { useSession } from '#web/data/session.tsx';
import { drafts } from '#web/lib/drafts.ts';
import { AppError } from '#web/lib/errors.ts';
import { toast } from '#web/ui/toast.tsx';
import { type PaymentState, verifyPayment } from './queries.ts';

const POLL_MS = 2_000;
/** Polling interval while the payment provider has not answered. Every request asks the provider again; no change arrives without one. */
const ASK_AGAIN_MS = 5_000;
/** A longer polling interval for payments that take days. */
const SLOW_POLL_MS = 15_000;

/** Queries the payment of a session until its outcome is known, and removes the draft once it is paid. If an id is null, the address is incomplete. */
export function usePaymentResult(sessionId: string | null, bookingId: string | null) {
  const complete = sessionId !== null && bookingId !== null;
  const { user } = useSession();
  const live = useLive(complete && user ? `user:${user.id}` : null, queryKeys.payment.all);
  const result = useQuery({
    queryKey: queryKeys.payment.of(sessionId),
    queryFn: () => verifyPayment(sessionId ?? ''),
    enabled: complete,
    retry: (count, error) => count < 4 && !isRefused(error),
    refetchInterval: (query) => {
      if (query.state.data?.status !== 'pending') return false;
      if (query.state.data.state === 'asking') return live ? ASK_AGAIN_MS : POLL_MS;
      return pollWhile(live, query.state.data.payment === 'processing' ? SLOW_POLL_MS : POLL_MS);
    },
  });
  // The payment session determines the booking. An address with a different booking id is treated as unknown.
  const other = result.data !== undefined && result.data.bookingId !== bookingId;
  useEffect(() => {
    if (!complete) toast({ title: 'Booking Error', description: 'Missing booking or session ID', tone: 'bad' });
  }, [complete]);
  useDraftEnd(sessionId ?? '', other ? undefined : result.data);
  return {
    complete,
    state: other ? undefined : result.data,
    other,
    error: result.data === undefined ? result.error : null,
  };
}

/** Whether the server refused the request. Trying again does not help then. */
function isRefused(error: Error): boolean {
  return error instanceof AppError && error.status >= 400 && error.status < 500;
}

/** Announces the outcome of a payment, and removes the draft that is now booked. */
function useDraftEnd(sessionId: string, state: PaymentState | undefined): void {
  const status = state?.status;
  const slow = status === 'pending' && state?.payment === 'processing';
  const change = state?.change !== undefined;
  useEffect(() => {
    if (status === 'cancelled') toast({ title: 'Booking Error', description: 'Payment not completed', tone: 'bad' });
    if (status !== 'confirmed' && !slow) return;
    // A change of a booking does not touch the draft of another booking.
    if (!change) {
      drafts.removeBooking();
      void dropServerDraft();
    }
    if (slow) return;
    if (!change) drafts.saveCouponCode(null);
    if (drafts.announcePayment(sessionId)) toast({ title: 'Payment Successful!' });
  }, [sessionId, status, slow, change]);
}
