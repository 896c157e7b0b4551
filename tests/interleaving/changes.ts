import type { Database } from '#server/db/database.ts';
import { closeHours } from '#server/operations/closures/close-hours.ts';
import { blockCustomer } from '#server/operations/customers/block.ts';
import { withdrawId } from '#server/operations/identity/withdraw.ts';
import { cancelForStaff } from '#server/operations/bookings/cancel-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { setPermissions } from '#server/operations/staff/set-permissions.ts';
import { addPerson, HOUR, MINUTE, STUDIO } from '#tests/operations/booking-system.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { SERVICE, MONDAY, TUESDAY, CHEAPER, hours, type Subject, type World } from './world.ts';

/** Changes that others may make to a booking and its customer at any moment. */

type ProviderMove = Parameters<World['system']['provider']['move']>[1];
async function moveAndSettle(world: World, session: string, move: ProviderMove, db: Database): Promise<void> {
  tryMove(world, session, move);
  await settlePayment(onDb(world, db), session);
}

type NamedChange = {
  readonly name: string;
  /** Whether the change matters only to operations that take new hours. */
  readonly ofNewHours?: true;
  /** Whether the change is made at every point in `npm test` too, because it exposes most forgotten checks. */
  readonly everywhere?: true;
  /** Whether the change matters only to operations of staff. */
  readonly ofStaff?: true;
  /** Makes the change through a database, which may be a running transaction. */
  readonly make: (world: World, subject: Subject, db: Database) => Promise<unknown>;
};

/** Returns the services of a world with another database, which may be a running transaction. */
export const onDb = (world: World, db: Database) => ({ ...world.system.services, db });
const moveForStaff = (world: World, bookingId: string, start: number, db: Database) =>
  moveBooking(onDb(world, db), {
    bookingId,
    studioId: STUDIO,
    ...hours(start),
    waive: true,
    money: 'held',
    actor: world.staff,
  });
/** Moves the state at the provider. Returns false if the move is no longer possible. */
export function tryMove({ system }: World, session: string, move: ProviderMove): boolean {
  if (session === '' || !system.provider.canMove(session, move)) return false;
  system.provider.move(session, move);
  return true;
}

/** Cancels as the customer or, in the last hours before the start, when codes are made and customers may no longer cancel, as staff. */
async function cancelByAnybody(world: World, { id, person }: Subject, db: Database): Promise<void> {
  try {
    await cancelBooking(onDb(world, db), id, person);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'too_late') throw error;
    await cancelForStaff(onDb(world, db), {
      bookingId: id,
      refund: 'full',
      reason: 'Flood',
      actor: world.staff,
      money: 'held',
    });
  }
}

export const CHANGES: readonly NamedChange[] = [
  {
    name: 'the customer cancels, or staff where it is too late for that',
    everywhere: true,
    make: (world, subject, db) => cancelByAnybody(world, subject, db),
  },
  {
    name: 'staff cancel and keep the money',
    make: (world, { id }, db) =>
      cancelForStaff(onDb(world, db), {
        bookingId: id,
        refund: 'none',
        reason: 'Damage',
        actor: world.staff,
        money: 'held',
      }),
  },
  {
    name: 'staff move it to cheaper hours of the day',
    make: (world, { id }, db) => moveForStaff(world, id, CHEAPER, db),
  },
  {
    name: 'staff move it to another day',
    everywhere: true,
    make: (world, { id }, db) => moveForStaff(world, id, MONDAY + 3 * HOUR, db),
  },
  {
    name: 'staff refund a part',
    make: (world, { id }, db) =>
      refundForStaff(onDb(world, db), {
        bookingId: id,
        cents: 700,
        reason: 'Noise',
        requestId: null,
        money: 'held',
        actor: world.staff,
      }),
  },
  {
    name: 'the customer is blocked',
    everywhere: true,
    make: (world, { person }, db) =>
      blockCustomer(onDb(world, db), { userId: person, reason: 'Damage', until: null }, world.staff),
  },
  {
    name: 'the ID is withdrawn',
    make: (world, { person }, db) =>
      withdrawId(servicesWith({ db, clock: world.system.clock }), { userId: person, reason: 'Not you' }, world.staff),
  },
  {
    name: 'another request settles the payment',
    make: (world, { session }, db) => settlePayment(onDb(world, db), session),
  },
  {
    name: 'the customer pays, and the event comes',
    make: (world, { session }, db) => moveAndSettle(world, session, 'pay', db),
  },
  {
    name: 'everything is refunded at the provider',
    make: (world, { session }, db) => moveAndSettle(world, session, 'refund all', db),
  },
  {
    name: 'the last refund fails at the bank',
    make: (world, { session }, db) => moveAndSettle(world, session, 'refund fails', db),
  },
  {
    name: 'the bank cancels the last refund',
    make: (world, { session }, db) => moveAndSettle(world, session, 'refund is canceled', db),
  },
  {
    name: 'a part is refunded at the provider, and the bank takes its time',
    make: (world, { session }, db) => moveAndSettle(world, session, 'refund part later', db),
  },
  {
    name: 'the holds expire',
    async make(world, { id }, db) {
      world.system.state.now += 16 * MINUTE;
      await db.query(
        `update private.booking set hold_expires_at = $2::timestamptz where $1::uuid in (id, moves_booking, order_id) and status = 'pending' and hold_expires_at > $2::timestamptz`,
        [id, world.system.clock()],
      );
      await releaseExpiredHolds(onDb(world, db));
    },
  },
  {
    name: 'the staff who do it lose their permissions',
    ofStaff: true,
    make: ({ staff }, _subject, db) =>
      setPermissions(servicesWith({ db }), { userId: staff, permissions: [] }, SERVICE),
  },
  {
    name: 'the price rises',
    ofNewHours: true,
    make: (_world, _subject, db) =>
      db.query(`update public.studios set hourly_rate = 79 where id = $1::uuid`, [STUDIO]),
  },
  {
    name: 'the new hours are closed',
    ofNewHours: true,
    make: (world, { target }, db) =>
      target === null
        ? Promise.resolve()
        : closeHours(
            onDb(world, db),
            { studioId: STUDIO, ...target, weeks: 1, reason: 'Paint', public: true },
            world.staff,
          ),
  },
  {
    name: 'another customer takes the new hours and the last use of the code',
    ofNewHours: true,
    async make(world, { target }, db) {
      const rival = await addPerson(db);
      await holdBooking(
        onDb(world, db),
        world.system.request(rival, { ...(target ?? hours(TUESDAY)), couponCode: world.coupon }),
      );
    },
  },
];
