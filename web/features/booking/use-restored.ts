import { useEffect, useEffectEvent, useRef } from 'react';
import { longestRun, type Slot } from '#rules/slots.ts';
import { isStudioDate } from '#rules/studio-time.ts';
import { readBookingQuery } from '#rules/finding/booking-link.ts';
import { drafts, type PendingSelection } from '#web/lib/drafts.ts';
import { useLocation } from '#web/router/router.tsx';

/** An earlier selection, whether to announce it, and whether it came from a link. */
export type Restored = PendingSelection & { readonly announce: boolean; readonly linked?: boolean };

/**
 * Restores the selection from before signing in, from a link to a room and hours, or from before the checkout. The page then drops hours
 * that are no longer free.
 */
export function useRestored(
  status: 'loading' | 'in' | 'out',
  restore: (found: Restored) => void,
  onUnreadable: () => void,
): void {
  // React Router gives the first page of a visit this key. Opening /booking starts with an empty selection; a reload or Back restores the
  // earlier one.
  const { opened, search } = useLocation();
  const used = useRef('');
  const run = useEffectEvent(restore);
  const refuse = useEffectEvent(onUnreadable);
  useEffect(() => {
    if (status === 'loading') return;
    // Read it before it is dropped, because it may have been truncated.
    if (drafts.dropUnreadableSelection()) refuse();
    const pending = drafts.selection();
    if (pending !== null) {
      if (status === 'in') drafts.removeSelection();
      run({ ...pending, slots: longestRun(pending.slots.filter(isSound)), announce: status === 'in' });
      return;
    }
    const linked = search === used.current || reloaded() ? null : readBookingQuery(new URLSearchParams(search));
    used.current = search;
    if (linked !== null) return run({ ...linked, announce: false, linked: true });
    if (opened) {
      const choice = reloaded() ? drafts.choice() : null;
      if (choice !== null) run({ ...choice, slots: longestRun(choice.slots.filter(isSound)), announce: false });
      return;
    }
    const draft = drafts.booking();
    if (draft === null || status === 'out') return;
    const slots = longestRun(draft.slots.map(({ date, hour }): Slot => ({ date, hour })).filter(isSound));
    run({ studioId: draft.studio_id, slots, announce: false });
  }, [status, opened, search]);
}

/** Whether the document was reloaded, or reached by Back from another site. */
function reloaded(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry instanceof PerformanceNavigationTiming && (entry.type === 'reload' || entry.type === 'back_forward');
}

/** Whether a stored slot is valid. The browser's storage can contain anything. */
const isSound = (slot: Slot): boolean =>
  isStudioDate(slot.date) && Number.isInteger(slot.hour) && slot.hour >= 0 && slot.hour < 24;
