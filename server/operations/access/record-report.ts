import type { DoorEvent } from '#rules/doors.ts';
import { checkAgain } from './check-locks.ts';
import { recordUse } from './record-use.ts';
import type { Services } from '../core/services.ts';

/** An entry of a lock's log. `pin`: the digits that were entered; null if there were none or they are unknown. */
export type DoorReport = {
  readonly lockId: string;
  readonly kind: DoorEvent;
  readonly pin: string | null;
  readonly at: Date;
};

/** Largest expected difference between a lock's clock and ours. */
const CLOCK_SLACK = '1 hour';

/** Stores an entry of a lock's log and applies the effects of a used code. Idempotent: a repeated report is ignored. */
export async function recordReport(services: Services, { lockId, kind, pin, at }: DoorReport): Promise<void> {
  if (kind === 'code' && pin !== null) await recordUse(services, { lockId, pin, at });
  // A late report may concern a code that has since been removed from the lock.
  await services.db.query(
    `with entered as (
       select s.code_id as id from private.access_secret s
       where s.lock_id = $1 and s.pin_fingerprint = any($4::text[])
         and $3::timestamptz between s.starts_at - interval '${CLOCK_SLACK}' and s.ends_at + interval '${CLOCK_SLACK}'
       order by s.live desc, s.starts_at desc limit 1
     ), staff as (
       select c.id from private.staff_code c
       where c.lock_id = $1 and c.pin_fingerprint = any($4::text[])
         and $3::timestamptz between c.starts_at - interval '${CLOCK_SLACK}' and c.ends_at + interval '${CLOCK_SLACK}'
       order by c.starts_at desc limit 1
     ), guest as (
       select g.id from private.crew_code g
       where g.lock_id = $1 and g.pin_fingerprint = any($4::text[])
         and $3::timestamptz between g.starts_at - interval '${CLOCK_SLACK}' and g.ends_at + interval '${CLOCK_SLACK}'
       order by g.starts_at desc limit 1
     ), stored as (
       insert into private.lock_event (lock_id, kind, at, code_id, staff_code_id, crew_code_id)
       values ($1, $2, $3::timestamptz, (select id from entered), (select id from staff where not exists (select from entered)),
         (select id from guest where not exists (select from entered union all select from staff))) on conflict do nothing returning at
     )
     update private.lock_state l set heard_at = greatest(l.heard_at, s.at) from stored s where l.lock_id = $1`,
    [lockId, kind, at, pin === null ? null : services.fingerprint.all(pin)],
  );
}

/** Checks the locks now, because the bridge has lost or regained its connection. */
export async function recordBridge(services: Services): Promise<void> {
  await checkAgain(services, services.clock());
}
