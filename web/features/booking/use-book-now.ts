import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type Slot, sortSlots } from '#rules/slots.ts';
import { settings } from '#rules/venue.ts';
import { type BookingDraft, drafts, type Verification } from '#web/lib/drafts.ts';
import { describeError } from '#web/lib/errors.ts';
import { leaveTo } from '#web/lib/leave.ts';
import { paths } from '#web/lib/paths.ts';
import { useAuthDialog } from '#web/lib/session.tsx';
import { AppError, OFFLINE } from '#web/lib/supabase.ts';
import { useBackAgain } from '#web/lib/use-back-again.ts';
import { usePayPage } from '#web/lib/use-pay-page.ts';
import { toast } from '#web/ui/toast.tsx';
import { draftOf } from './draft.ts';
import { createPayment, keepDraft, readStanding, type Studio } from './queries.ts';

const NOT_STARTED = 'Failed to start verification. Please try again.';

/**
 * What went wrong at Book Now; `total` in dollars when the server names another price, `draft` when only the hosted
 * identity check could not begin: the booking that can go on with a photo at the checkout.
 */
export type BookProblem = { readonly text: string; readonly total: number | null; readonly draft: BookingDraft | null };

/**
 * Book Now: to sign in first, to the identity check, to the checkout, or straight to the payment.
 * `beginCheck` makes a hosted identity check and keeps its ids in this tab; throws `AppError`, `not_configured` where there is none.
 */
export function useBookNow(userId: string | null, beginCheck: (draft: BookingDraft) => Promise<Verification>) {
  const dialog = useAuthDialog();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<BookProblem | null>(null);
  const payPage = usePayPage();
  useBackAgain(() => setBusy(false));

  const toCheckout = (draft: BookingDraft): void => void navigate(paths.checkout, { state: drafts.handOver(draft) });

  /** To /verify-complete with a check that has not been opened yet: the one of an earlier press, or a new one. */
  async function verify(draft: BookingDraft): Promise<void> {
    const kept = drafts.verification();
    try {
      if (kept === null || kept.openedAt !== undefined) await beginCheck(draft);
      return void navigate(paths.verifyComplete, { state: drafts.handOver(draft) });
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_configured') return toCheckout(draft);
      setBusy(false);
      const text = describeError(error, NOT_STARTED);
      setProblem({ text, total: null, draft });
      return toast({ title: NOT_STARTED, tone: 'bad' });
    }
  }

  function explain(error: unknown, draft: BookingDraft, lookAgain: () => void): void {
    setBusy(false);
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') return toCheckout(draft);
    lookAgain();
    const text = describeError(error, navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE);
    const total = error instanceof AppError ? error.details['total'] : null;
    setProblem({ text, total: code === 'price_changed' && typeof total === 'number' ? total : null, draft: null });
    return toast({ title: 'Payment Error', description: text, tone: 'bad' });
  }

  /** `shownTotal` in dollars where another price was agreed to; `lookAgain` asks what is free now, when something stood in the way. */
  async function book(
    studio: Studio | null,
    slots: readonly Slot[],
    shownTotal: number | null,
    lookAgain: () => void,
  ): Promise<void> {
    if (slots.length === 0 || busy) return;
    if (!studio) return toast({ title: 'Selected studio not found.', tone: 'bad' });
    if (userId === null) {
      drafts.keepSelection({ studioId: studio.id, slots: sortSlots(slots) });
      return dialog.open('sign-in');
    }
    const drafted = draftOf(studio, slots);
    const draft = shownTotal === null ? drafted : { ...drafted, final_cost: shownTotal };
    setBusy(true);
    setProblem(null);
    try {
      drafts.keepBooking(drafted);
      void keepDraft(drafted);
      const standing = await readStanding(userId, settings.termsVersion);
      if (!standing.verified) return await verify(drafted);
      if (!standing.termsAccepted) return toCheckout(drafted);
      const url = await payPage.open(() => createPayment(draft, userId));
      if (url !== null) leaveTo(url); // busy stays: the page is on its way out
      return;
    } catch (error) {
      return explain(error, drafted, lookAgain);
    }
  }

  return { busy, problem, book, forget: () => setProblem(null) };
}
