import { useState } from 'react';
import { useNavigate } from 'react-router';
import { type Slot, sortSlots } from '#rules/slots.ts';
import { settings } from '#rules/venue.ts';
import { drafts } from '#web/lib/drafts.ts';
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

/** What went wrong at Book Now; `total` in dollars when the server names another price. */
export type BookProblem = { readonly text: string; readonly total: number | null };

/** Book Now (spec section 4): to sign in first, to the checkout, or straight to the payment. */
export function useBookNow(userId: string | null) {
  const dialog = useAuthDialog();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<BookProblem | null>(null);
  const payPage = usePayPage();
  useBackAgain(() => setBusy(false));

  function explain(error: unknown, lookAgain: () => void): void {
    setBusy(false);
    const code = error instanceof AppError ? error.code : '';
    if (code === 'id_required' || code === 'terms_required') return void navigate(paths.checkout);
    lookAgain();
    const text = describeError(error, navigator.onLine ? 'Failed to process payment. Please try again.' : OFFLINE);
    const total = error instanceof AppError ? error.details['total'] : null;
    setProblem({ text, total: code === 'price_changed' && typeof total === 'number' ? total : null });
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
      if (!standing.verified || !standing.termsAccepted) return void navigate(paths.checkout);
      const url = await payPage.open(() => createPayment(draft, userId));
      if (url !== null) leaveTo(url); // busy stays: the page is on its way out
      return;
    } catch (error) {
      return explain(error, lookAgain);
    }
  }

  return { busy, problem, book, forget: () => setProblem(null) };
}
