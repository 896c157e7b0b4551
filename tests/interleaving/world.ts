import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { addPerson, HOUR, START, STUDIO } from '#tests/operations/booking-system.ts';
import { createPaymentCases, type PaymentCases } from '#tests/operations/payment-cases.ts';
import type { Interrupter } from './interrupted.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** A room, a customer and a booking. changes.ts has what others may do to them, order.ts what must hold afterwards. */

/** The actor of commands and of the service key. */
export const SERVICE = '00000000-0000-0000-0000-000000000000';
const DAY = 24 * HOUR;
/** A Saturday at 11 am in Sydney, a week ahead, where an hour costs $59; in the evening it costs $69, two days later $49. */
const SATURDAY = START + 7 * DAY;
export const EVENING = SATURDAY + 7 * HOUR;
export const MONDAY = SATURDAY + 2 * DAY;
export const TUESDAY = MONDAY + DAY;
/** In the afternoon of that Saturday. */
export const CHEAPER = SATURDAY + 2 * HOUR;

export type Span = { readonly startTime: Date; readonly endTime: Date };
export const hours = (start: number, count = 1): Span => ({
  startTime: new Date(start),
  endTime: new Date(start + count * HOUR),
});

/** What an operation is about. */
export type Subject = {
  /** The booking or hold. */
  readonly id: string;
  readonly person: string;
  /** The session whose money it is about. */
  readonly session: string;
  /** The hours that the operation takes; null: none that are new. */
  readonly target: Span | null;
  /** Whether it is the first booking of an order, whose payment is that of all of them. */
  readonly ofOrder?: true;
};
export type World = PaymentCases & {
  readonly db: Database;
  readonly staff: string;
  /** A discount code that works once. */
  readonly coupon: string;
};

/** Sets until how many hours before the start customers may cancel bookings that are made from now on, under the same terms. */
export async function setCancelHours(db: Database, freeCancelHours: number): Promise<void> {
  await db.query(
    `insert into public.business_settings (settings) select private.business_settings() || $1::jsonb
     where private.business_settings() -> 'freeCancelHours' <> $1::jsonb -> 'freeCancelHours'`,
    [{ freeCancelHours }],
  );
}

/** Creates a room without bookings, closures and blocks, with a discount code that can be used once. */
export async function createWorld(interrupter: Interrupter): Promise<World> {
  const { db } = interrupter;
  // Jobs of the worlds before this one, whose providers are gone, would be tried again each time that time passes.
  await db.query('delete from private.outbox');
  await db.query('delete from private.closed_span');
  await db.query('update public.studios set hourly_rate = 49 where id = $1::uuid', [STUDIO]);
  await setCancelHours(db, firstSettings.freeCancelHours);
  const cases = await createPaymentCases(db);
  interrupter.follow('payments', cases.system.provider.payments);
  interrupter.follow('locks', cases.system.locks);
  const staff = await addPerson(db);
  // The database keeps one owner.
  if ((await db.one(`select from public.staff_permissions where permission = 'owner'`)) === null)
    await setPermissions(servicesWith({ db }), { userId: await addPerson(db), permissions: ['owner'] }, SERVICE);
  await setPermissions(
    servicesWith({ db }),
    { userId: staff, permissions: ['bookings', 'identity', 'money'] },
    SERVICE,
  );
  const coupon = `ONCE${randomUUID().slice(0, 8).toUpperCase()}`;
  await db.query(
    `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', 10, 1)`,
    [coupon],
  );
  return { ...cases, db, staff, coupon };
}
