import { LOW_BATTERY_PERCENT } from '#rules/doors.ts';
import type { Services } from '../core/services.ts';

/** Delay before an offline lock is checked again, so that a single lost answer does not raise an alert. */
const AGAIN_MS = 2 * 60_000;
const LEASE = 'locks';

/**
 * Periodic task: reads the list of locks with their batteries from the lock system and checks whether each lock answers. It checks one lock
 * after another because the bridge does one job at a time. Only one process runs the check, every `everyMs`. Throws `ProviderError` when
 * the lock system does not answer; the stored states then stay as they are.
 */
export async function checkLocks(services: Services, everyMs: number, stop: () => boolean): Promise<void> {
  const { db, locks, studioLocks, clock } = services;
  const lease = await db.queryRow<{ taken: boolean }>(
    `select private.take_lease($1, $2::timestamptz, make_interval(secs => $3::double precision)) as taken`,
    [LEASE, clock(), everyMs / 1000],
  );
  if (lease?.taken !== true) return;
  const { devices } = await locks.check();
  const found = new Map<string, boolean | null>();
  for (const [studioId, lockId] of studioLocks) {
    if (stop()) return checkAgain(services, clock());
    const device = devices.find(({ id }) => id === lockId);
    const isKnown = device !== undefined;
    const online = found.has(lockId)
      ? (found.get(lockId) ?? null)
      : isKnown
        ? (await locks.readStatus({ lockId })).online
        : null;
    found.set(lockId, online);
    const battery = device?.batteryPercent ?? null;
    await db.query(`select private.record_lock_state($1::uuid, $2, $3::boolean, $4::int, $5::int, $6::timestamptz)`, [
      studioId,
      lockId,
      online,
      battery,
      LOW_BATTERY_PERCENT,
      clock(),
    ]);
    await db.query('select private.record_lock_known($1::uuid, $2, $3::boolean, $4::timestamptz)', [
      studioId,
      lockId,
      isKnown,
      clock(),
    ]);
  }
  if ([...found.values()].includes(false) && everyMs > AGAIN_MS)
    await checkAgain(services, new Date(clock().getTime() + AGAIN_MS));
}

/** Brings the next check of the locks forward. */
export async function checkAgain({ db }: Services, at: Date): Promise<void> {
  await db.query('update private.lease set until = least(until, $2::timestamptz) where name = $1', [LEASE, at]);
}
