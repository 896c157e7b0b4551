import { randomUUID } from 'node:crypto';
import type { Database } from '#server/db/database.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { addPerson, HOUR, START, STUDIO } from '#tests/operations/booking-system.ts';
import { createPaymentCases, type PaymentCases } from '#tests/operations/payment-cases.ts';
import type { Interrupter } from './interrupted.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

/** A room, a customer and a booking. changes.ts contains what others may do to them, and order.ts what must hold afterwards. */

/** The actor for commands and the service key. */
export const SERVICE = '00000000-0000-0000-0000-000000000000';
const DAY = 24 * HOUR;
/** A Saturday one week ahead, at 11 am in Sydney, when an hour costs $59. It costs $69 in the evening, and $49 two days later. */
const SATURDAY = START + 7 * DAY;
export const EVENING = SATURDAY + 7 * HOUR;
export const MONDAY = SATURDAY + 2 * DAY;
export const TUESDAY = MONDAY + DAY;
/** In the afternoon of the same Saturday. */
export const CHEAPER = SATURDAY + 2 * HOUR;

export type Span = { readonly startTime: Date; readonly endTime: Date };
export const hours = (start: number, count = 1): Span => ({
  startTime: new Date(start),
  endTime: new Date(start + count * HOUR),
});

/** The booking that an operation works on. */
export type Subject = {
  /** The id of the booking or hold. */
  readonly id: string;
  readonly person: string;
  /** The payment session whose money the operation concerns. */
  readonly session: string;
  /** The hours that the operation takes, or null if it takes no new ones. */
  readonly target: Span | null;
  /** Whether it is the first booking of an order, whose payment covers all of its bookings. */
  readonly ofOrder?: true;
};
export type World = PaymentCases & {
  readonly db: Database;
  readonly staff: string;
  /** A discount code that can be used once. */
  readonly coupon: string;
};

/** Sets how many hours before the start customers may cancel, for bookings made from now on. The version of the terms stays the same. */
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
  // Jobs of earlier worlds, whose providers are gone, would be retried each time that time passes.
  await db.query('delete from private.outbox');
  await db.query('delete from private.closed_span');
  await db.query('update public.studios set hourly_rate = 49 where id = $1::uuid', [STUDIO]);
  await setCancelHours(db, firstSettings.freeCancelHours);
  const cases = await createPaymentCases(db);
  interrupter.follow('payments', cases.system.provider.payments);
  interrupter.follow('locks', cases.system.locks);
  const staff = await addPerson(db);
  // The database always has one owner.
  if ((await db.queryRow(`select from public.staff_permissions where permission = 'owner'`)) === null)
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
