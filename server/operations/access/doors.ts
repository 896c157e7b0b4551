import type { Database } from '#server/db/database.ts';
import { ProviderError } from '#server/providers/call.ts';
import type { Power } from '#server/providers/ports.ts';
import { Refusal } from '../core/refusal.ts';
import type { AccessContext } from './context.ts';

type DoorsContext = Pick<AccessContext, 'locks' | 'lockOf' | 'clock' | 'log'> & {
  readonly db: Pick<Database, 'query' | 'one'>;
};

/** A studio's door. Times are texts as in JSON. */
type Door = {
  readonly studioId: string;
  readonly studioName: string;
  /** null: the studio has no lock. */
  readonly lockId: string | null;
  /** Whether the lock system lists the lock; null when it does not answer. */
  readonly known: boolean | null;
  /** null: unknown. */
  readonly batteryPercent: number | null;
  readonly lastOpening: { readonly at: string; readonly reference: string; readonly startTime: string } | null;
  /** The codes that open it now. */
  readonly codes: readonly { readonly reference: string; readonly startsAt: string; readonly endsAt: string }[];
};
/** `lightsOn`: null when the plug does not answer. */
type Doors = { readonly doors: readonly Door[]; readonly canOpen: boolean; readonly lightsOn: boolean | null };

type DoorRow = {
  studio_id: string;
  studio_name: string;
  last_opening: Door['lastOpening'];
  codes: Door['codes'];
};

/** Reads all doors and the lights. A system that does not answer leaves its part unknown. */
export async function readDoors(context: DoorsContext, power: Power): Promise<Doors> {
  const { db, locks, lockOf, clock } = context;
  const [{ rows }, devices, lightsOn] = await Promise.all([
    db.query<DoorRow>('select * from private.door_states($1::timestamptz)', [clock()]),
    nullUnlessAnswered(context, async () => (await locks.check()).devices),
    nullUnlessAnswered(context, () => power.isOn()),
  ]);
  const doors = rows.map((row): Door => {
    const lockId = lockOf.get(row.studio_id) ?? null;
    const device = devices?.find(({ id }) => id === lockId);
    return {
      studioId: row.studio_id,
      studioName: row.studio_name,
      lockId,
      known: devices === null ? null : device !== undefined,
      batteryPercent: device?.batteryPercent ?? null,
      lastOpening: row.last_opening,
      codes: row.codes,
    };
  });
  return { doors, canOpen: locks.capabilities.mode === 'bridge', lightsOn };
}

/**
 * Opens a studio's door from afar for a member of staff. The audit log has it before the lock is called, so that no opening is missing.
 * Throws `Refusal('not_found')`, `Refusal('provider_unavailable')`.
 */
export async function openDoor(
  context: DoorsContext,
  { studioId, reason }: { readonly studioId: string; readonly reason: string },
  actor: string,
): Promise<void> {
  const lockId = context.lockOf.get(studioId);
  if (lockId === undefined) throw new Refusal('not_found', 'This studio has no lock.');
  await context.db.query(`select private.audit($1::uuid, 'open', 'door', $2, $3::jsonb)`, [
    actor,
    studioId,
    { reason },
  ]);
  try {
    await context.locks.open({ lockId });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new Refusal(
      'provider_unavailable',
      error.reason === 'not_supported'
        ? 'Without a bridge the lock cannot be opened from here.'
        : 'The lock did not answer. It may still open: look at the door log before you try again.',
    );
  }
}

async function nullUnlessAnswered<T>({ log }: Pick<DoorsContext, 'log'>, ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    log.warn({ err: error }, 'a part of the doors is unknown');
    return null;
  }
}
