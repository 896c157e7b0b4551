import { type RefObject, useEffect } from 'react';
import type { Slot } from '#rules/slots.ts';

/** Hours that had the focus once: the same hour must not take it again when the page shows its hours in another way. */
const arrived = new WeakSet<Slot>();

/**
 * Scrolls an hour to the thumb and gives it the keyboard focus, once: after crossing midnight or signing in, or when an offer was taken. `arrival`: null until
 * its hour is shown; `selector` finds it in the section.
 */
export function useArrival(section: RefObject<HTMLElement | null>, arrival: Slot | null, selector: string): void {
  useEffect(() => {
    if (arrival === null || arrived.has(arrival)) return;
    arrived.add(arrival);
    const cell = section.current?.querySelector<HTMLElement>(selector);
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    cell?.focus({ preventScroll: true });
    // After the page has scrolled to the day.
    requestAnimationFrame(() => cell?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'center' }));
  }, [section, arrival, selector]);
}
