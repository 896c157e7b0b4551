import { ProviderError } from '#server/providers/call.ts';
import { inParallel } from '#server/queue/in-parallel.ts';
import { withTimeout } from '../core/timeout.ts';
import { getReason } from '../payments/provider-errors.ts';
import { releaseHold } from './release.ts';
import type { Services } from '../core/services.ts';

/** Number of expired holds that are released concurrently. */
const RELEASES_AT_ONCE = 4;

/** Releases expired holds and returns how many it released. If a release fails, the hold stays and is tried again. */
export async function releaseExpiredHolds(services: Services, stop: () => boolean = () => false): Promise<number> {
  const { db, clock, log } = services;
  const { rows } = await db.query<{ id: string }>(
    `select id from private.booking where status = 'pending' and hold_expires_at <= $1::timestamptz and (order_id is null or order_id = id)
     order by hold_expires_at limit 50`,
    [clock()],
  );
  let released = 0;
  await inParallel(
    rows,
    RELEASES_AT_ONCE,
    async (row) => {
      const booking = await releaseHold(services, row.id, 'hold_expired').catch((error: unknown) => {
        // The slot stays held because the provider has not answered.
        log.error(
          { booking: row.id, reason: getReason(error) },
          'an expired hold could not be released; the next round tries again',
        );
        return null;
      });
      if (booking?.status === 'cancelled') released += 1;
    },
    stop,
  );
  return released;
}

/** Releases expired holds that block other bookings. Returns whether at least one of them is cancelled now. */
export async function releaseInTheWay(
  services: Services,
  bookingIds: readonly string[],
  timeLeft: () => number,
): Promise<boolean> {
  if (bookingIds.length === 0) return false;
  const releases = bookingIds.map((id) => releaseHold(services, id, 'hold_expired').catch(keepHeld));
  const released = await withTimeout(services.log, timeLeft(), Promise.all(releases), []);
  return released.some((booking) => booking?.status === 'cancelled');
}

/** Ignores a provider error: the hold stays, and its slot counts as taken. */
function keepHeld(error: unknown): null {
  if (error instanceof ProviderError) return null;
  throw error;
}
