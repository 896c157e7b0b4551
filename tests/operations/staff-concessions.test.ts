import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Permission } from '#rules/permissions.ts';
import type { Database } from '#server/db/database.ts';
import type { ServerFunction } from '#server/functions/function.ts';
import { staffCancelBooking } from '#server/functions/staff-bookings/staff-cancel-booking.ts';
import { staffCreateBooking } from '#server/functions/staff-bookings/staff-create-booking.ts';
import { staffMoveBooking } from '#server/functions/staff-bookings/staff-move-booking.ts';
import { staffRefund } from '#server/functions/staff-bookings/staff-refund.ts';
import { staffUndo } from '#server/functions/staff-bookings/staff-undo.ts';
import type { Caller } from '#server/http/caller.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { holdBooking } from '#server/operations/bookings/hold.ts';
import { moveBooking } from '#server/operations/bookings/move.ts';
import { Refusal } from '#server/operations/core/refusal.ts';
import { requirePermission } from '#server/operations/staff/require-permission.ts';
import { addPerson, databases, HOUR, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';
import { forCalls } from '#tests/support/providers/services.ts';

const DAY = 24 * HOUR;
const WEEKS_AHEAD = 8;
/** If the terms refund nothing, every run tries the longest sequences. */
const LENGTH = { full: process.env['TEST_LONG'] ? 3 : 2, none: 3 } as const;
/** One start is free to cancel; the other is too late to cancel with a refund. */
const STARTS = { full: START + 7 * DAY, none: START + 12 * HOUR } as const;

type Answer = { readonly bookingId?: string; readonly undo?: { readonly id: string }; readonly [key: string]: unknown };
/** A booking on which actions are tried, with the ids that earlier actions returned. */
type Scene = {
  readonly id: string;
  readonly person: string;
  readonly at: number;
  undo: string;
  readonly created: string[];
};

describe('money that staff give away', () => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  const callers = new Map<Permission, Caller>();
  beforeAll(async () => {
    const engine = databases[0];
    if (!engine) throw new Error('there is no engine');
    ({ db, close } = await engine.open());
    // There must be an owner, so the last one stays.
    for (const permission of ['owner', 'bookings', 'identity', 'settings'] as const)
      callers.set(permission, await addStaff(permission));
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
  });

  /** Adds a staff account with exactly one permission. */
  async function addStaff(permission: Permission): Promise<Caller> {
    const userId = await addPerson(db);
    await db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [userId]);
    await db.query(
      'insert into public.staff_permissions (user_id, permission) values ($1::uuid, $2) on conflict do nothing',
      [userId, permission],
    );
    await db.query('delete from public.staff_permissions where user_id = $1::uuid and permission <> $2', [
      userId,
      permission,
    ]);
    const session = await db.queryRow<{ id: string }>(
      `insert into auth.sessions (user_id, created_at, refreshed_at, method) values ($1::uuid, now(), now(), 'password') returning id`,
      [userId],
    );
    return { role: 'authenticated', userId, sessionId: session?.id ?? null, claims: {}, claimsJson: '{}', ip: '' };
  }

  const FUNCTIONS = {
    move: staffMoveBooking,
    cancel: staffCancelBooking,
    refund: staffRefund,
    create: staffCreateBooking,
    undo: staffUndo,
  } as const;
  const never = () => Promise.reject(new Error('no test here calls it'));
  /** Calls a function as the router does. Returns its answer, or the code of its refusal. */
  async function call(name: keyof typeof FUNCTIONS, permission: Permission, body: unknown): Promise<Answer | string> {
    const services = { ...forCalls(cases.system.services), verifyLockWebhook: never, drain: never };
    const server: ServerFunction = FUNCTIONS[name](services);
    const caller = callers.get(permission);
    if (!caller || server.callers !== 'staff') throw new Error('not a function for staff');
    const url = new URL('http://localhost/');
    try {
      await requirePermission(services, caller, server.permission);
      const call = { request: new Request(url), url, caller, body, log: cases.system.log, checked: true };
      // Cast: the functions for staff return objects.
      return (await (await server.handle(call)).json()) as Answer;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  const hours = (start: number, count: number) => ({
    startTime: new Date(start).toISOString(),
    endTime: new Date(start + count * HOUR).toISOString(),
  });
  const moveTo = (scene: Scene, start: number, count: number, more: { waive?: boolean; undoable?: boolean } = {}) => ({
    bookingId: scene.id,
    studioId: STUDIO,
    ...hours(start, count),
    ...more,
  });
  async function booked(terms: keyof typeof STARTS, count = 3): Promise<Scene> {
    const person = await addPerson(db);
    const at = STARTS[terms];
    const span = { startTime: new Date(at), endTime: new Date(at + count * HOUR) };
    return { ...(await cases.system.book(person, span)), person, at, undo: '', created: [] };
  }
  /** Frees the hours of all earlier bookings, without refunds. */
  const freeHours = () =>
    db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`);
  /** Returns the total given away: decided refunds, hours that are not charged, and new bookings that were not paid here. */
  async function given({ id, created }: Scene): Promise<number> {
    const row = await db.queryRow<{ cents: number }>(
      `select (
         (select coalesce(sum(b.waived_cents - greatest(b.owed_cents, 0)), 0) from private.booking b where b.id = any ($1::uuid[]) and b.status = 'confirmed')
         + (select coalesce(sum(p.paid_cents), 0) from private.payment p where p.booking_id = any ($1::uuid[]) and p.state in ('refund_pending', 'refunded'))
         + (select coalesce(sum(r.amount_cents), 0) from private.partial_refund r join private.payment p on p.id = r.payment_id
            where p.booking_id = any ($1::uuid[]) and p.state not in ('refund_pending', 'refunded'))
         + (select coalesce(sum(p.amount_cents), 0) from private.payment p where p.booking_id = any ($1::uuid[]) and p.kind = 'elsewhere'))::int as cents`,
      [[id, ...created]],
    );
    return row?.cents ?? 0;
  }
  const cost = async ({ id }: Scene): Promise<number> =>
    (
      await db.queryRow<{ cents: number }>(
        'select final_cost_cents as cents from private.booking where id = $1::uuid',
        [id],
      )
    )?.cents ?? 0;

  test('with only bookings, hours cannot be given back for money after the deadline', async () => {
    const scene = await booked('none', 6);
    expect(await call('move', 'bookings', moveTo(scene, scene.at, 1))).toBe('not_yours');
    expect(await call('move', 'bookings', { ...moveTo(scene, scene.at, 1), preview: true })).toMatchObject({
      needsMoney: true,
    });
    expect(await given(scene)).toBe(0);
    expect(await call('move', 'bookings', { ...moveTo(scene, scene.at + 7 * DAY, 6), preview: true })).toMatchObject({
      needsMoney: false,
    });
  });

  test('with only bookings, dearer hours cannot be waived', async () => {
    const scene = await booked('full', 1);
    expect(await call('move', 'bookings', moveTo(scene, scene.at, 6, { waive: true }))).toBe('not_yours');
    expect(await given(scene)).toBe(0);
    expect(await call('move', 'bookings', moveTo(scene, scene.at, 6))).toMatchObject({
      waitsUntil: expect.any(String),
    });
  });

  test('a booking that staff moved to later hours is cancelled by the terms of its earliest start, by staff and by its customer', async () => {
    const scene = await booked('none');
    expect(await call('move', 'bookings', moveTo(scene, scene.at + WEEKS_AHEAD * 7 * DAY, 3))).toMatchObject({
      refundCents: 0,
    });
    const all = { bookingId: scene.id, refund: 'full', reason: 'Asked' };
    expect(await call('cancel', 'bookings', all)).toBe('not_yours');
    await expect(cancelBooking(cases.system.services, scene.id, scene.person)).rejects.toMatchObject({
      code: 'too_late',
      message: expect.stringMatching(
        /^Bookings can be cancelled up to \d+ hours before the start\. Please contact us instead\.$/,
      ),
    });
    expect(await call('cancel', 'bookings', { ...all, refund: 'terms' })).toMatchObject({ refundCents: 0 });
    expect(await given(scene)).toBe(0);
  });

  test('a later end by the customer does not make the terms of a booking that staff moved start anew', async () => {
    const scene = await booked('none');
    const later = scene.at + WEEKS_AHEAD * 7 * DAY;
    await call('move', 'bookings', moveTo(scene, later, 3));
    const by = { waive: false, actor: scene.person, customer: scene.person, onlyLater: true };
    const span = { startTime: new Date(later), endTime: new Date(later + 4 * HOUR) };
    await moveBooking(cases.system.services, { bookingId: scene.id, studioId: STUDIO, ...span, ...by });
    const session = await db.queryRow<{ id: string }>(
      `select x.session_id as id from private.payment x join private.booking h on h.id = x.booking_id where h.moves_booking = $1::uuid`,
      [scene.id],
    );
    cases.system.provider.move(session?.id ?? '', 'pay');
    await cases.requireMoney(scene.id);
    await expect(cancelBooking(cases.system.services, scene.id, scene.person)).rejects.toMatchObject({
      code: 'too_late',
      message: expect.stringMatching(
        /^Bookings can be cancelled up to \d+ hours before the start\. Please contact us instead\.$/,
      ),
    });
  });

  test('hours that customers choose themselves within the terms have the terms of the new start', async () => {
    const scene = await booked('full');
    const by = { waive: false, actor: scene.person, customer: scene.person };
    const span = { startTime: new Date(scene.at + 7 * DAY), endTime: new Date(scene.at + 7 * DAY + 3 * HOUR) };
    await moveBooking(cases.system.services, { bookingId: scene.id, studioId: STUDIO, ...span, ...by });
    cases.system.state.now = scene.at - 12 * HOUR;
    expect(await cancelBooking(cases.system.services, scene.id, scene.person)).toMatchObject({ refund: 'full' });
  });

  test('an undone move leaves the terms of a booking as they were', async () => {
    const scene = await booked('full');
    const moved = await call('move', 'bookings', moveTo(scene, START + 23 * HOUR, 3, { undoable: true }));
    const undo = typeof moved === 'string' ? '' : (moved.undo?.id ?? '');
    expect(await call('undo', 'bookings', { undoId: undo })).toMatchObject({ kind: 'move' });
    expect(await call('cancel', 'bookings', { bookingId: scene.id, refund: 'full', reason: 'Asked' })).toMatchObject({
      refundCents: await cost(scene),
    });
  });

  test.each(['free', 'elsewhere'])('with only bookings, no booking is made %s', async (payment) => {
    const body = {
      studioId: STUDIO,
      ...hours(START + 20 * DAY, 1),
      customerEmail: 'a@example.com',
      customerName: 'Alex',
      payment,
    };
    expect(await call('create', 'bookings', body)).toBe('not_yours');
    expect(await call('create', 'bookings', { ...body, payment: 'link' })).toMatchObject({
      reference: expect.any(String),
    });
  });

  test('with only bookings, more hours of a free booking are paid', async () => {
    const scene = await booked('full', 1);
    const { bookingId } = await bookForStaff(cases.system.services, {
      studioId: STUDIO,
      startTime: new Date(scene.at + 2 * HOUR),
      endTime: new Date(scene.at + 3 * HOUR),
      customerEmail: 'free@example.com',
      customerName: 'Sam Free',
      payment: 'free',
      notes: null,
      requestId: null,
      actor: randomUUID(),
      money: 'held',
    });
    const longer = { ...moveTo(scene, scene.at + 2 * HOUR, 5), bookingId };
    expect(await call('move', 'bookings', longer)).toMatchObject({ waitsUntil: expect.any(String) });
  });

  test.each([
    ['full', 'full', 0],
    ['none', 'none', 1],
    ['none', 'full', 1],
  ] as const)(
    'a cancellation of a booking that cost nothing with its code, by terms of %s refund, with the refund %s, leaves %i use taken',
    async (terms, refund, uses) => {
      const code = `ALL${terms}${refund}`.toUpperCase();
      await db.query(
        `insert into public.discount_codes (code, discount_type, discount_value, max_uses) values ($1, 'percentage', 100, 1)`,
        [code],
      );
      const span = { startTime: new Date(STARTS[terms]), endTime: new Date(STARTS[terms] + HOUR) };
      const request = cases.system.request(await addPerson(db), { ...span, couponCode: code });
      const { bookingId } = await holdBooking(cases.system.services, request);
      expect(await call('cancel', 'bookings', { bookingId, refund, reason: 'Asked' })).toMatchObject({
        refundCents: 0,
      });
      expect(
        await db.queryRow('select current_uses as uses from public.discount_codes where code = $1', [code]),
      ).toEqual({
        uses,
      });
    },
  );

  /** The actions of a member of staff, directly or through the customer. Each returns whether it had an effect. */
  const ACTIONS: Readonly<Record<string, (scene: Scene, permission: Permission) => Promise<boolean>>> = {
    shorten: async (scene, who) => keep(scene, await call('move', who, moveTo(scene, scene.at, 1, { undoable: true }))),
    'lengthen and waive': async (scene, who) =>
      keep(scene, await call('move', who, moveTo(scene, scene.at, 6, { waive: true, undoable: true }))),
    'move to dearer hours by a link': async (scene, who) =>
      keep(scene, await call('move', who, moveTo(scene, scene.at + 7 * HOUR, 6))),
    'move weeks ahead': async (scene, who) =>
      keep(scene, await call('move', who, moveTo(scene, scene.at + WEEKS_AHEAD * 7 * DAY, 3, { undoable: true }))),
    'move to fewer hours weeks ahead': async (scene, who) =>
      keep(scene, await call('move', who, moveTo(scene, scene.at + WEEKS_AHEAD * 7 * DAY, 1, { undoable: true }))),
    'cancel with all': async (scene, who) =>
      keep(scene, await call('cancel', who, { bookingId: scene.id, refund: 'full', reason: 'Asked', undoable: true })),
    'cancel by the terms': async (scene, who) =>
      keep(scene, await call('cancel', who, { bookingId: scene.id, refund: 'terms', reason: 'Asked', undoable: true })),
    'cancel with a part': async (scene, who) =>
      keep(scene, await call('cancel', who, { bookingId: scene.id, refund: 1_000, reason: 'Asked', undoable: true })),
    'refund a part': async (scene, who) =>
      keep(
        scene,
        await call('refund', who, { bookingId: scene.id, cents: 1_000, reason: 'Sorry', requestId: randomUUID() }),
      ),
    undo: async (scene, who) => scene.undo !== '' && keep(scene, await call('undo', who, { undoId: scene.undo })),
    'book for free': async (scene, who) => keep(scene, await call('create', who, booking('free'))),
    'book as paid elsewhere': async (scene, who) => keep(scene, await call('create', who, booking('elsewhere'))),
    'have the customer cancel': (scene) =>
      cancelBooking(cases.system.services, scene.id, scene.person).then(
        () => true,
        () => false,
      ),
  };
  const booking = (payment: 'free' | 'elsewhere') => ({
    studioId: STUDIO,
    ...hours(START + 30 * DAY, 1),
    customerEmail: 'free@example.com',
    customerName: 'Alex Free',
    payment,
    requestId: randomUUID(),
  });
  function keep(scene: Scene, answer: Answer | string): boolean {
    if (typeof answer === 'string') return false;
    if (answer.undo) scene.undo = answer.undo.id;
    if (answer.bookingId && answer.bookingId !== scene.id) scene.created.push(answer.bookingId);
    return true;
  }

  /**
   * Tries every sequence that begins with these actions. A sequence whose last action is refused equals the shorter one, which was tried
   * before.
   */
  async function tryAll(
    terms: keyof typeof STARTS,
    who: Permission,
    first: readonly string[],
    seen: string[],
  ): Promise<void> {
    for (const name of Object.keys(ACTIONS)) {
      await freeHours();
      const path = [...first, name];
      const scene = await booked(terms);
      const most = terms === 'full' ? await cost(scene) : 0;
      let done = true;
      for (const action of path) done = (await ACTIONS[action]?.(scene, who)) === true;
      const cents = await given(scene);
      seen.push(path.join(', '));
      expect({ path, cents: Math.max(cents, most) }).toEqual({ path, cents: most });
      if (done && path.length < LENGTH[terms]) await tryAll(terms, who, path, seen);
    }
  }

  test.each([
    ['bookings', 'full', 50],
    ['bookings', 'none', 100],
    ['identity', 'none', 13],
    ['settings', 'none', 13],
  ] as const)(
    'with only %s, no sequence of up to three actions gives away more than the terms gave before the first (%s)',
    async (who, terms, atLeast) => {
      const seen: string[] = [];
      await tryAll(terms, who, [], seen);
      expect(seen.length).toBeGreaterThanOrEqual(atLeast);
    },
    300_000,
  );
});
