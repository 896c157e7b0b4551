import { constants as studio } from '#rules/venue.ts';
import type { Transaction } from '#server/db/database.ts';
import type { BookingFacts, BookingJson } from '../core/booking-rows.ts';
import { Refusal } from '../core/refusal.ts';

/** How long staff can undo an action. Its jobs are delayed until then. */
const UNDO_MS = 10_000;

/** An action that staff can undo, and until when. */
export type Undo = { readonly id: string; readonly until: Date };

/** Returns when the jobs of an action are due: immediately, or once it can no longer be undone. */
export const jobsDue = (now: Date, undoable: boolean): Date => (undoable ? new Date(now.getTime() + UNDO_MS) : now);

/** A stored action that can be undone, with the booking as it was before. */
export type UndoRow = {
  readonly id: string;
  readonly kind: 'cancel' | 'move';
  readonly moveNumber: number | null;
  readonly before: BookingJson;
  readonly jobs: readonly string[];
  readonly until: Date;
  readonly undoneAt: Date | null;
};

/** Stores that an action can be undone, together with the jobs that it queued, in the transaction of the action. */
export async function storeUndo(
  tx: Transaction,
  action: { kind: UndoRow['kind']; before: BookingFacts; actor: string; now: Date },
): Promise<Undo> {
  const { kind, before, actor, now } = action;
  const until = jobsDue(now, true);
  const row = await tx.queryRow<{ id: string }>(
    `insert into private.undo (booking_id, kind, move_number, before, jobs, actor, created_at, until)
     select $1::uuid, $2, $3::int, $4::jsonb, array(select o.id from private.outbox o where o.due_at = $7::timestamptz and o.done_at is null
       and o.subject_id in (select $1::uuid union all select p.id from private.payment p where p.booking_id = $1::uuid
         union all select r.id from private.partial_refund r join private.payment p on p.id = r.payment_id where p.booking_id = $1::uuid)),
       $5::uuid, $6::timestamptz, $7::timestamptz
     returning id`,
    [before.id, kind, kind === 'move' ? before.moves + 1 : null, before, actor, now, until],
  );
  if (row === null) throw new Error('an undo cannot be read back');
  return { id: row.id, until };
}

/**
 * Returns whether a move could be undone without the customer noticing. This is the case if no access code for the old or new hours exists
 * or is due soon, because a changed code is sent to the customer.
 */
export async function isMoveUndoable(
  tx: Transaction,
  booking: BookingFacts,
  startTime: Date,
  now: Date,
): Promise<boolean> {
  const first = Math.min(startTime.getTime(), booking.startTime.getTime());
  if (first - now.getTime() < studio.requestLeadMinutes * 60_000 + UNDO_MS) return false;
  const code = await tx.queryRow(
    `select from public.booking_access_codes where booking_id = $1::uuid and status in ('requested', 'issued') limit 1`,
    [booking.id],
  );
  return code === null;
}

/**
 * Deletes the jobs of an action that is undone. Returns the payments and partial refunds that they concerned. Throws `Refusal` if one has
 * already started.
 */
export async function stopJobs(
  tx: Transaction,
  { jobs }: UndoRow,
): Promise<{ readonly payments: readonly string[]; readonly parts: readonly string[] }> {
  const { rows } = await tx.query<{ kind: string; subject: string }>(
    `delete from private.outbox where id = any ($1::uuid[]) and tries = 0 and done_at is null and closed_at is null
     returning kind, subject_id as subject`,
    [jobs],
  );
  if (rows.length !== jobs.length) throw tooLate();
  const about = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ subject }) => subject);
  return { payments: about('payment.refund'), parts: about('payment.partial-refund') };
}

/** Builds the refusal of an action that has already taken effect. */
export const tooLate = (): Refusal =>
  new Refusal('too_late', 'This can no longer be undone, because its emails and refunds have been sent.');
