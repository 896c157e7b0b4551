import type { DoorAnswer } from '#rules/doors.ts';
import { formatStudioTime } from '#rules/studio-time.ts';
import type { Transaction, Queryable } from '#server/db/database.ts';
import { hasGuestCodes } from '../access/guest-codes.ts';
import { readCodeHold } from '../access/code-hold.ts';
import { requireConfirmed } from '../core/require-confirmed.ts';
import { readAccessTimes } from '../access/times.ts';
import type { BookingFacts } from '../core/booking-rows.ts';
import { enqueue } from '../core/jobs.ts';
import { Refusal } from '../core/refusal.ts';
import type { Services } from '../core/services.ts';
import { recordAudit } from '../core/audit.ts';

/** How long before the code works customers can ask for help, because they arrive early. */
const EARLY_MS = 15 * 60_000;

/**
 * `held`: whether a dispute holds the code of the booking, so that it does not open the door. `asked`: whether staff have been notified and
 * the incident is not done.
 */
export type DoorHelp = DoorAnswer & { readonly held: boolean; readonly asked: boolean };

/**
 * Reads the state of the lock for a booking whose door does not open. With `guestId`, the answer concerns that guest's own code. Throws
 * `Refusal`: `not_found`, `not_confirmed`, `session_ended`, `code_not_released` if it is too early.
 */
export async function readDoorHelp(
  services: Services,
  bookingId: string,
  guestId: string | null = null,
): Promise<DoorHelp> {
  const { booking, from, held } = await requireAtDoor(services, bookingId);
  const answer = await askLock(services, services.db, { booking, from, guestId });
  return { ...answer, held, asked: await isAsked(services.db, bookingId) };
}

/**
 * Notifies staff that a customer stands at a door that does not open. Creates an incident with the state of the lock, and mails all staff
 * who can open doors. A booking has at most one such incident at a time. `reporter`: the account; null for a mailed link and for a guest.
 * Throws `Refusal` as `readDoorHelp`.
 */
export async function askForDoorHelp(
  services: Services,
  bookingId: string,
  { reporter, guestId = null }: { readonly reporter: string | null; readonly guestId?: string | null },
): Promise<DoorHelp> {
  const { booking, from, held } = await requireAtDoor(services, bookingId);
  return services.db.transaction(async (tx) => {
    const now = services.clock();
    const answer = await askLock(services, tx, { booking, from, guestId });
    const created = await tx.queryRow<{ id: string }>(
      `insert into private.incident (studio_id, kind, booking_id, description, reporter, created_at)
       values ($1::uuid, 'door', $2::uuid, $3, $4::uuid, $5::timestamptz)
       on conflict (booking_id) where kind = 'door' and state <> 'done' do nothing returning id`,
      [booking.studioId, bookingId, describe(booking, { ...answer, held }, guestId !== null), reporter, now],
    );
    if (created !== null) await tellStaff(tx, created.id, { booking, reporter, now });
    return { ...answer, held, asked: true };
  });
}

async function tellStaff(
  tx: Transaction,
  incidentId: string,
  { booking, reporter, now }: { booking: BookingFacts; reporter: string | null; now: Date },
): Promise<void> {
  await recordAudit(tx, {
    actor: reporter,
    action: 'create',
    resource: 'incident',
    id: incidentId,
    details: { after: { state: 'open' }, kind: 'door', bookingId: booking.id },
  });
  const { rows } = await tx.query<{ id: string }>(
    `select distinct p.user_id as id from public.staff_permissions p where p.permission in ('bookings', 'owner') order by p.user_id`,
  );
  for (const { id } of rows)
    await enqueue(tx, {
      kind: 'mail.door-help',
      subjectId: incidentId,
      dedupe: id,
      payload: { staff: id },
      dueAt: now,
      deadlineAt: booking.endTime,
    });
}

async function requireAtDoor(
  services: Services,
  bookingId: string,
): Promise<{ booking: BookingFacts; from: Date; held: boolean }> {
  const booking = await requireConfirmed(services.db, bookingId);
  const { worksFrom } = await readAccessTimes(services, services.db, booking);
  const now = services.clock();
  if (now >= booking.endTime) throw new Refusal('session_ended', 'Session has ended');
  const from = new Date(worksFrom.getTime() - EARLY_MS);
  if (now < from)
    throw new Refusal('code_not_released', `Your code works from ${formatStudioTime(worksFrom)} (Sydney time).`);
  return { booking, from, held: (await readCodeHold(services.db, bookingId)) !== null };
}

async function askLock(
  services: Services,
  db: Queryable,
  { booking, from, guestId }: { booking: BookingFacts; from: Date; guestId: string | null },
): Promise<DoorAnswer> {
  const row = await db.queryRow<{ answer: DoorAnswer; guestHasCode: boolean }>(
    `select private.door_answer($1::uuid, $2, $3::timestamptz, $4::timestamptz) as answer,
       exists (select from private.crew_code c where c.crew_member_id = $5::uuid and c.status = 'issued') as "guestHasCode"`,
    [booking.id, services.studioLocks.get(booking.studioId) ?? '', from, services.clock(), guestId],
  );
  if (row === null) throw new Refusal('not_found', 'Booking not found');
  const hasOwnCode = guestId !== null && hasGuestCodes(services);
  return hasOwnCode ? { ...row.answer, hasCode: row.guestHasCode } : row.answer;
}

async function isAsked(db: Queryable, bookingId: string): Promise<boolean> {
  const row = await db.queryRow(
    `select 1 from private.incident i where i.booking_id = $1::uuid and i.kind = 'door' and i.state <> 'done'`,
    [bookingId],
  );
  return row !== null;
}

/** Renders the description for staff. It contains no names, because the booking identifies the customer. */
function describe(
  { reference, studioName }: BookingFacts,
  { online, hasCode, wrongAt, openedAt, held }: DoorAnswer & { readonly held: boolean },
  isGuest: boolean,
): string {
  const parts = [
    `The door of ${studioName} does not open for booking ${reference}.`,
    held ? 'The code is on hold because a payment is disputed.' : '',
    isGuest ? 'A guest of the booking asked for help.' : '',
    online === null
      ? 'We don’t know whether the lock is online.'
      : online
        ? 'The lock is online.'
        : 'The lock is not responding.',
    hasCode ? 'It has accepted the code.' : 'It has not accepted a code.',
    wrongAt === null ? '' : `A wrong code was entered at ${formatStudioTime(new Date(wrongAt))}.`,
    openedAt === null ? '' : `It was last opened at ${formatStudioTime(new Date(openedAt))}.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}
