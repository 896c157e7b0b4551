import { type DoorEvent, LOW_BATTERY_PERCENT } from '#rules/doors.ts';
import { ProviderError } from '#server/providers/call.ts';
import { readBooking } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';
import { type Lights, readLights } from '../power/read-lights.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** A studio's door. Times are ISO strings. */
type Door = {
  readonly studioId: string;
  readonly studioName: string;
  /** Null if the studio has no lock. */
  readonly lockId: string | null;
  /** Whether the lock system lists the lock; null if the lock system does not answer. */
  readonly known: boolean | null;
  /** Null if unknown. */
  readonly batteryPercent: number | null;
  readonly isBatteryLow: boolean;
  /** Whether the lock answered at the last check; null if unknown. */
  readonly online: boolean | null;
  /** When the lock last answered or reported something. */
  readonly heardAt: string | null;
  /** When the lock system last reported on the lock. */
  readonly checkedAt: string | null;
  readonly lastOpening: { readonly at: string; readonly reference: string; readonly startTime: string } | null;
  /** The codes that open the door now. */
  readonly codes: readonly { readonly reference: string; readonly startsAt: string; readonly endsAt: string }[];
};
/** `lightsOn`: the lights of rooms without their own plug; null if there are none or the plug does not answer. */
type Doors = {
  readonly doors: readonly Door[];
  readonly canOpen: boolean;
  readonly lights: readonly Lights[];
  readonly lightsOn: boolean | null;
};

type DoorRow = {
  studio_id: string;
  studio_name: string;
  last_opening: Door['lastOpening'];
  codes: Door['codes'];
  state: Pick<Door, 'lockId' | 'batteryPercent' | 'online' | 'heardAt' | 'checkedAt'> | null;
};

/** Reads all doors and the lights. If a system does not answer, its values are unknown. */
export async function readDoors(services: Services): Promise<Doors> {
  const { db, locks, studioLocks, clock } = services;
  const [{ rows }, devices, lights] = await Promise.all([
    db.query<DoorRow>(
      `select d.*, case when l.studio_id is not null then jsonb_build_object('lockId', l.lock_id, 'batteryPercent', l.battery_percent, 'online', l.online,
         'heardAt', l.heard_at, 'checkedAt', l.checked_at) end as state
       from private.door_states($1::timestamptz) d left join private.lock_state l on l.studio_id = d.studio_id`,
      [clock()],
    ),
    nullUnlessAnswered(services, async () => (await locks.check()).devices),
    readLights(services, (isOn) => nullUnlessAnswered(services, isOn)),
  ]);
  const doors = rows.map((row): Door => {
    const lockId = studioLocks.get(row.studio_id) ?? null;
    const device = devices?.find(({ id }) => id === lockId);
    const state = row.state?.lockId === lockId ? row.state : null;
    const batteryPercent = device?.batteryPercent ?? state?.batteryPercent ?? null;
    return {
      studioId: row.studio_id,
      studioName: row.studio_name,
      lockId,
      known: devices === null ? null : device !== undefined,
      batteryPercent,
      isBatteryLow: batteryPercent !== null && batteryPercent <= LOW_BATTERY_PERCENT,
      online: state?.online ?? null,
      heardAt: state?.heardAt ?? null,
      checkedAt: state?.checkedAt ?? null,
      lastOpening: row.last_opening,
      codes: row.codes,
    };
  });
  return {
    doors,
    canOpen: locks.capabilities.remoteOpen,
    lights,
    lightsOn: lights.find(({ plug }) => plug === null)?.on ?? null,
  };
}

/**
 * Opens a studio's door remotely for a member of staff. The entry in the audit log is written before the lock is called, so that every
 * opening is logged. Throws `Refusal('not_found')`, `Refusal('provider_unavailable')`.
 */
export async function openDoor(
  services: Services,
  { studioId, reason }: { readonly studioId: string; readonly reason: string },
  actor: string,
): Promise<void> {
  const lockId = services.studioLocks.get(studioId);
  if (lockId === undefined) throw new Refusal('not_found', 'This studio has no lock.');
  await recordAudit(services.db, { actor, action: 'open', resource: 'door', id: studioId, details: { reason } });
  try {
    await services.locks.open({ lockId });
    await services.db.query(
      `insert into private.lock_event (lock_id, kind, at, actor) values ($1, 'from_afar', $2::timestamptz, $3::uuid) on conflict do nothing`,
      [lockId, services.clock(), actor],
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal(
      'provider_unavailable',
      error.reason === 'not_supported'
        ? 'This lock has no bridge, so you can’t open it from here.'
        : 'The lock did not answer. It may still open, so check the door log before you try again.',
    );
  }
}

/** An entry of a door's log. `byCode`: whether the booking's code was entered; otherwise the entry shows the booking at that time. */
type DoorLogEntry = {
  readonly at: Date;
  readonly kind: DoorEvent;
  readonly studioId: string;
  readonly studioName: string;
  readonly reference: string | null;
  readonly byCode: boolean;
  readonly startTime: Date | null;
  readonly customerName: string | null;
  /** Who opened the door remotely. */
  readonly actor: string | null;
};
/** `before`: return only older entries. */
export type DoorLogQuery = {
  readonly studioId: string | null;
  readonly bookingId: string | null;
  readonly before: Date | null;
};

const LOG_ENTRIES = 100;
const LOG_DAYS = 31;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Reads up to a hundred of the newest entries of the door log for a studio, for a booking, or for all studios. Without a booking they cover
 * a month.
 */
export async function readDoorLog(
  { db, studioLocks, clock }: Services,
  { studioId, bookingId, before }: DoorLogQuery,
): Promise<readonly DoorLogEntry[]> {
  const locks = [...studioLocks].filter(([studio]) => studioId === null || studio === studioId);
  const booking = bookingId === null ? null : await readBooking(db, bookingId);
  // A lock's clock may be ahead of ours.
  const now = clock().getTime() + HOUR_MS;
  const ended = booking === null ? now : booking.endTime.getTime() + DAY_MS;
  const until = before ?? new Date(Math.min(now, ended));
  const from =
    booking === null ? new Date(until.getTime() - LOG_DAYS * DAY_MS) : new Date(booking.startTime.getTime() - DAY_MS);
  const { rows } = await db.query<DoorLogEntry>(
    `select at, kind, studio_id as "studioId", studio_name as "studioName", reference, by_code as "byCode", start_time as "startTime",
       customer_name as "customerName", actor
     from private.door_log($1::jsonb, $2::timestamptz, $3::timestamptz, $4::uuid, $5::int)`,
    [Object.fromEntries(locks.map(([studio, lock]) => [lock, studio])), from, until, bookingId, LOG_ENTRIES],
  );
  return rows;
}

async function nullUnlessAnswered<T>({ log }: Services, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.warn({ err: error }, 'the lock service or a plug did not answer; staff see the door data without it');
    return null;
  }
}
