import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { sortSlots } from '#rules/slots.ts';
import { readEligibility } from '#web/data/account/eligibility.ts';
import { findPaymentRefusal } from '#web/data/bookings/payment-refusals.ts';
import { holdEarly } from '#web/data/drafts/early-hold.ts';
import { keepServerDraft } from '#web/data/drafts/server-draft.ts';
import { useAuthDialog } from '#web/data/session.tsx';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { isRefused } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { useNavigate } from '#web/router/router.tsx';
import { toast } from '#web/ui/toast.tsx';
import * as problems from './book-problem.ts';
import { createPayment } from './queries.ts';

type Options = {
  readonly onCouponLost: () => void;
  readonly lookAgain: () => void;
  /** Starts a hosted check and stores its ids in this tab. Throws `AppError`, with the code `not_configured` if the server has no hosted check. */
  readonly beginCheck: (draft: BookingDraft) => Promise<Verification>;
};

/** Handles Book Now: continues with the sign-in, the ID check, the checkout, or directly the payment. */
export function useBookNow(userId: string | null, options: Options) {
  const dialog = useAuthDialog();
  const [problem, setProblem] = useState<problems.BookProblem | null>(null);
  const payPage = usePayPage();
  const goTo = useNextPage();
  const send = useMutation({
    mutationFn: async (order: problems.Order) => {
      drafts.saveBooking(order.draft);
      void keepServerDraft(order.draft);
      const eligibility = await readEligibility(userId ?? '');
      if (!eligibility.verified) {
        const [next] = await Promise.all([startCheck(order.draft, options.beginCheck), holdEarly(order.draft)]);
        return next;
      }
      if (!eligibility.termsAccepted) return 'checkout';
      const agreed = { ...order.draft, final_cost: order.shown };
      const url = await payPage.open(() => createPayment(agreed, order.wire, userId ?? ''));
      if (url !== null) leaveTo(url);
      return 'pay';
    },
    meta: { handled: true },
    // A price that the customer agreed to stays on the screen during the payment.
    onMutate: () => setProblem((before) => (before === null || before.total === null ? null : before)),
    onError: (error, order) => {
      const refusal = findPaymentRefusal(error);
      if (refusal === 'id' || refusal === 'terms') return goTo('checkout', order.draft);
      if (!(error instanceof problems.CheckNotStarted)) options.lookAgain();
      if (refusal === 'coupon' && order.hasCoupon) options.onCouponLost();
      return showProblem(problems.explainBooking(error, order));
    },
  });
  useBackAgain(send.reset);
  // The button stays busy while the browser leaves for the payment. Navigation within the site may be undone before the next page is shown,
  // and then this page stays.
  const busy = send.isPending || send.data === 'pay';

  function showProblem(found: problems.BookProblem): void {
    setProblem(found);
    const checkFailed = found.draft !== null;
    toast(
      checkFailed
        ? { title: problems.NOT_STARTED, tone: 'bad' }
        : { title: 'Payment Error', description: found.text, tone: 'bad' },
    );
  }

  /** Books the hours. `agreed` (dollars): a different price that the customer has agreed to. */
  function book(request: problems.BookingRequest, agreed: number | null): void {
    const { studio, slots, lost } = request;
    if (slots.length === 0 || busy) return undefined;
    if (!studio) return toast({ title: 'Selected studio not found.', tone: 'bad' });
    if (userId === null) {
      // A series cannot continue after the sign-up, because it is chosen on this page, which the sign-up leaves.
      drafts.saveSelection({ studioId: studio.id, slots: sortSlots(slots), bookNow: request.series === null });
      return dialog.open(drafts.knowsAccount() ? 'sign-in' : 'sign-up');
    }
    const order = problems.createOrder(studio, request, agreed);
    if (lost !== null && agreed === null && request.series === null)
      return showProblem(problems.explainLostCode(lost, order));
    // Passed to this call, so that it only runs while this page is shown: a visitor who has gone elsewhere is not redirected.
    return send.mutate(order, { onSuccess: (next) => goTo(next, order.draft) });
  }

  return { busy, problem, book, forget: () => setProblem(null) };
}

/** The page that follows Book Now. `pay` is the provider's page, to which the browser is already leaving. */
type NextPage = 'verify' | 'checkout' | 'pay';

function useNextPage(): (next: NextPage, draft: BookingDraft) => void {
  const navigate = useNavigate();
  return (next, draft) => {
    if (next === 'pay') return;
    const path = next === 'verify' ? paths.verifyComplete : paths.checkout;
    navigate(path, { state: drafts.toState(draft) });
  };
}

/** Prepares /verify-complete with a check that was not opened yet: a check from an earlier press, or a new one. */
async function startCheck(draft: BookingDraft, begin: Options['beginCheck']): Promise<NextPage> {
  const kept = drafts.verification();
  if (kept !== null && kept.openedAt === undefined) return 'verify';
  try {
    await begin(draft);
    return 'verify';
  } catch (error) {
    if (isRefused<'create-verification-session'>(error, 'not_configured')) return 'checkout';
    throw new problems.CheckNotStarted('The hosted check could not be started.', { cause: error });
  }
}
