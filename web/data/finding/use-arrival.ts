import { type RefObject, useEffect } from 'react';
import type { Slot } from '#rules/slots.ts';

/** Hours that have already received the focus. They must not receive it again when the page shows them in another way. */
const arrived = new WeakSet<Slot>();

/**
 * Scrolls an hour into the centre of the screen and gives it the keyboard focus, once: after crossing midnight, after signing in, or after
 * taking an offer. `arrival`: null until its hour is shown; `selector` finds it in the section.
 */
export function useArrival(section: RefObject<HTMLElement | null>, arrival: Slot | null, selector: string): void {
  useEffect(() => {
    if (arrival === null || arrived.has(arrival)) return;
    arrived.add(arrival);
    const cell = section.current?.querySelector<HTMLElement>(selector);
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    cell?.focus({ preventScroll: true });
    // Wait for the next frame, because the page scrolls to the day first.
    requestAnimationFrame(() => cell?.scrollIntoView({ behavior: calm ? 'auto' : 'smooth', block: 'center' }));
  }, [section, arrival, selector]);
}
