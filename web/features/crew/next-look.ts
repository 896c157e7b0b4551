import type { GuestPage } from './queries.ts';

const IDLE_MS = 30_000;
const AWAITED_MS = 3_000;

/**
 * Returns the number of milliseconds until a guest's page is read again. The page is read often while a code is due but missing, and at the
 * moment of its release.
 */
export function nextLook(page: Pick<GuestPage, 'access' | 'booking'> | undefined, now: Date): number {
  if (!page?.access || now >= page.booking.endTime) return IDLE_MS;
  const { pin, held, releaseAt } = page.access;
  if (held || pin !== null) return IDLE_MS;
  const ahead = releaseAt.getTime() - now.getTime();
  return ahead > 0 ? Math.min(ahead, IDLE_MS) : AWAITED_MS;
}
