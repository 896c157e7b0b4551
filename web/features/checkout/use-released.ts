import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { drafts } from '#web/lib/drafts.ts';
import { errorCode } from '#web/lib/errors.ts';
import { releaseHold } from './queries.ts';

const TEXTS = {
  confirmed: 'You’ve already paid for this booking. You’ll find it in your account.',
  released:
    'You left the payment page, so we released the hours. You haven’t been charged, and you can still book them.',
  held: 'You left the payment page. We’re still holding the hours for you, and you haven’t been charged.',
  processing: 'Your payment for this booking is being processed. We’ll email you as soon as we know.',
  unknown: 'You left the payment page. You haven’t been charged, and we’ll release the hours automatically.',
} as const;

/**
 * Releases the hold named in `?released=` after a return from the pay page, and returns what to say; null for nothing.
 * Only the owner can release it, so this waits for the sign-in. A hold that nobody releases expires.
 */
export function useReleased(status: 'loading' | 'in' | 'out'): { text: string | null; asking: boolean } {
  const [search, setSearch] = useSearchParams();
  const [text, setText] = useState<string | null>(null);
  const bookingId = search.get('released');
  useEffect(() => {
    if (bookingId === null || status !== 'in') return;
    void releaseHold(bookingId)
      .then((answer) => {
        // Keep the coupon code: it can be used again.
        if (answer.couponCode !== null && drafts.couponCode() === null) drafts.keepCouponCode(answer.couponCode);
        if (answer.status === 'confirmed') return TEXTS.confirmed;
        return answer.released ? TEXTS.released : TEXTS.held;
      })
      // Gone, not ours, or unreachable: the customer does not have to do anything.
      .catch((error: unknown) => (errorCode(error) === 'payment_processing' ? TEXTS.processing : TEXTS.unknown))
      .then(setText)
      .finally(() => setSearch({}, { replace: true }));
  }, [bookingId, status, setSearch]);
  return { text, asking: bookingId !== null && status !== 'out' };
}
