import { drafts } from '#web/lib/drafts.ts';
import { paths } from '#web/lib/paths.ts';
import { useNavigate } from '#web/router/router.tsx';
import { draftOfHold } from './booking-draft.ts';
import type { OwnBooking } from '../bookings/booking.ts';
import { keepServerDraft } from './server-draft.ts';

/** Returns a function that opens the checkout for an unpaid hold, with its hours, price and coupon. */
export function useFinishPaying(): (hold: OwnBooking) => void {
  const navigate = useNavigate();
  return (hold) => {
    const draft = draftOfHold(hold);
    if (draft === null) return;
    drafts.saveBooking(draft);
    drafts.saveCouponCode(hold.couponCode);
    void keepServerDraft(draft);
    navigate(paths.checkout, { state: drafts.toState(draft) });
  };
}
