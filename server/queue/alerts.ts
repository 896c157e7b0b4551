import type { Transaction } from '#server/db/database.ts';

/**
 * Marks jobs that need a person, and returns their ids: jobs that failed three times, again after `remindAfterMs`, and jobs that were
 * closed because it was too late to run them. Returns no ids while a job of the kind `alertKind` is open, because the delivery of alerts
 * itself may be failing.
 */
export async function takeAlerts(
  tx: Transaction,
  alerts: { readonly now: Date; readonly alertKind: string; readonly remindAfterMs: number; readonly max: number },
): Promise<readonly string[]> {
  const { now, alertKind, remindAfterMs, max } = alerts;
  const { rows } = await tx.query<{ id: string }>(
    `update private.outbox o set notified_at = $1::timestamptz where o.id in (
       select x.id from private.outbox x
       where x.done_at is null and x.kind <> $2
         and ((x.closed_at is null and x.alerted_at is not null and (x.notified_at is null or x.notified_at <= $3::timestamptz))
           or (x.closed_at is not null and x.notified_at is null))
         and not exists (select from private.outbox a where a.kind = $2 and a.done_at is null and a.closed_at is null)
       order by x.created_at limit $4::int for update skip locked)
     returning o.id`,
    [now, alertKind, new Date(now.getTime() - remindAfterMs), max],
  );
  return rows.map((row) => row.id);
}
