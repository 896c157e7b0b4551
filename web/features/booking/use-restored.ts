import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'react-router';
import { longestRun, type Slot } from '#rules/slots.ts';
import { isStudioDate } from '#rules/studio-time.ts';
import { drafts, type PendingSelection } from '#web/lib/drafts.ts';

/** A selection of before, and whether to say that it is back. */
export type Restored = PendingSelection & { readonly tell: boolean };

/**
 * Brings back what was chosen before signing in (spec section 4), or before going on to checkout and back.
 * What of it is still free is found out by the page, with the hours of others at hand (decisions T-10).
 */
export function useRestored(status: 'loading' | 'in' | 'out', restore: (found: Restored) => void): void {
  // The first page of a visit has this key: whoever opens /booking anew begins anew, whoever reloads it or comes back to it goes on.
  const opened = useLocation().key === 'default';
  const run = useEffectEvent(restore);
  useEffect(() => {
    if (status === 'loading') return;
    const pending = drafts.selection();
    if (pending !== null) {
      if (status === 'in') drafts.dropSelection();
      run({ studioId: pending.studioId, slots: longestRun(pending.slots.filter(isSound)), tell: status === 'in' });
      return;
    }
    if (opened) {
      const choice = reloaded() ? drafts.choice() : null;
      if (choice !== null) run({ ...choice, slots: longestRun(choice.slots.filter(isSound)), tell: false });
      return;
    }
    const draft = drafts.booking();
    if (draft === null || status === 'out') return;
    const slots = longestRun(draft.slots.map(({ date, hour }): Slot => ({ date, hour })).filter(isSound));
    run({ studioId: draft.studio_id, slots, tell: false });
  }, [status, opened]);
}

/** Whether this document was loaded again, by a reload or on the way back from another site, rather than opened. */
function reloaded(): boolean {
  const [entry] = performance.getEntriesByType('navigation');
  return entry instanceof PerformanceNavigationTiming && (entry.type === 'reload' || entry.type === 'back_forward');
}

/** What lay in the browser may have been written by anybody. */
const isSound = (slot: Slot): boolean =>
  isStudioDate(slot.date) && Number.isInteger(slot.hour) && slot.hour >= 0 && slot.hour < 24;
