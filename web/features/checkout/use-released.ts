import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { releaseHold } from '#web/data/bookings/own-bookings.ts';
import { queryKeys } from '#web/data/query-keys.ts';
import { drafts } from '#web/lib/drafts.ts';
import { isRefused } from '#web/lib/errors.ts';
import { useSearchParams } from '#web/router/router.tsx';

const TEXTS = {
  confirmed: 'You’ve already paid for this booking. You’ll find it in your account.',
  released:
    'You left the payment page, so we released the hours. You haven’t been charged, and you can still book them.',
  held: 'You left the payment page. We’re still holding the hours for you, and you haven’t been charged.',
  processing: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
  unknown: 'You left the payment page. You haven’t been charged, and we’ll release the hours automatically.',
} as const;

/**
 * Releases the hold named in `?released=` after a return from the pay page, and returns a message, or null. Only the owner can release a
 * hold, so this waits for the sign-in. A hold that is never released expires.
 */
export function useReleased(status: 'loading' | 'in' | 'out'): { text: string | null; asking: boolean } {
  const [search, setSearch] = useSearchParams();
  const bookingId = search.get('released');
  const { mutate, data, error } = useMutation({
    mutationFn: releaseHold,
    meta: { handled: true, invalidates: [queryKeys.ownBookings.all] },
    onSuccess: ({ couponCode }) => {
      // Keep the coupon code, because it can be used again.
      if (couponCode !== null && drafts.couponCode() === null) drafts.saveCouponCode(couponCode);
    },
  });
  useEffect(() => {
    if (bookingId !== null && status === 'in') mutate(bookingId);
  }, [bookingId, status, mutate]);
  const text = data ? describeRelease(data) : error ? describeFailure(error) : null;
  useEffect(() => {
    if (text !== null) setSearch({}, { replace: true });
  }, [text, setSearch]);
  return { text, asking: bookingId !== null && status !== 'out' };
}

function describeRelease(answer: { released: boolean; status: string }): string {
  if (answer.status === 'confirmed') return TEXTS.confirmed;
  return answer.released ? TEXTS.released : TEXTS.held;
}

/** The hold is gone, it belongs to another account, or the server cannot be reached. In each case the customer has nothing to do. */
const describeFailure = (error: Error): string =>
  isRefused<'release-hold'>(error, 'payment_processing') ? TEXTS.processing : TEXTS.unknown;
