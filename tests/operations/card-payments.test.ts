import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import type { Services } from '#server/operations/core/services.ts';
import { type Moved, type Move, moveBooking } from '#server/operations/bookings/move.ts';
import { readExtension } from '#server/operations/bookings/own-move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { deleteAccount } from '#server/operations/customers/account.ts';
import { ensureCustomer, listSavedCards, removeSavedCard } from '#server/operations/customers/provider-customer.ts';
import { settleIntent, settlePayment } from '#server/operations/payments/settle.ts';
import type { CardBehaviour } from '#tests/support/providers/payments.ts';
import { addPerson, databases, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { killedAt } from './killed-process.ts';
import { createPaymentCases, noResponse, type PaymentCases } from './payment-cases.ts';

const DAY = 24 * HOUR;
const SATURDAY = START + 7 * DAY;
/** Seven hours later, when an hour costs $10 more. */
const EVENING = SATURDAY + 7 * HOUR;
const RACES = process.env['TEST_LONG'] ? 200 : 20;
const STOPS = process.env['TEST_LONG'] ? 'all' : 8;

describe.each(databases)('payments by a saved card on $name', ({ open }) => {
  let db: Database;
  let close: () => Promise<void>;
  let cases: PaymentCases;
  beforeAll(async () => {
    ({ db, close } = await open());
  }, 180_000);
  afterAll(() => close());
  beforeEach(async () => {
    cases = await createPaymentCases(db);
    await db.query('delete from private.outbox');
  });

  const context = () => cases.system.services;
  const provider = () => cases.system.provider;
  /** Makes a booking of one hour, whose customer has a card with this behaviour. */
  async function booked(card: CardBehaviour = 'pays'): Promise<{ id: string; person: string }> {
    await db.query(
      `update private.booking set status = 'cancelled', cancel_reason = 'staff' where status <> 'cancelled'`,
    );
    const person = await addPerson(db);
    const { id } = await cases.system.book(person, {
      startTime: new Date(SATURDAY),
      endTime: new Date(SATURDAY + HOUR),
    });
    await ensureCustomer(context(), person, 'person@example.com');
    provider().saveCard(person, 'pm_1', card);
    return { id, person };
  }
  type Mine = { id: string; person: string };
  /** Requests one more hour, at first from the end of the booking. `card`: undefined for the pay page. */
  async function extend({ id, person }: Mine, card?: string, by: Services = context()): Promise<Moved> {
    const from = new Date(SATURDAY + HOUR);
    const { studioId, ...span } = await readExtension(by, { bookingId: id, customer: person, hours: 1, from });
    const own = { waive: false, actor: person, customer: person, onlyLater: true };
    const move: Move = { bookingId: id, studioId, ...span, ...own, card: card ?? null };
    return moveBooking(by, move);
  }
  /** Requests the evening of the same day. */
  const reschedule = ({ id, person }: Mine, card?: string, by: Services = context()): Promise<Moved> =>
    moveBooking(by, {
      bookingId: id,
      studioId: STUDIO,
      startTime: new Date(EVENING),
      endTime: new Date(EVENING + HOUR),
      waive: false,
      actor: person,
      customer: person,
      card: card ?? null,
    });
  const readHours = async (id: string): Promise<number> =>
    Number(
      (await db.queryRow<{ h: string }>('select total_hours as h from private.booking where id = $1::uuid', [id]))?.h,
    );
  const holdSession = async (id: string): Promise<string> =>
    (
      await db.queryRow<{ s: string }>(
        `select p.session_id as s from private.payment p join private.booking b on b.id = p.booking_id
         where b.moves_booking = $1::uuid and p.session_id like 'cs_%' order by p.created_at desc, p.attempt desc limit 1`,
        [id],
      )
    )?.s ?? '';
  /** Requires that the booking has the hour and exactly one payment for it that was not refunded. */
  async function requirePaidOnce(id: string): Promise<void> {
    expect(await readHours(id)).toBe(2);
    const { paid, returned } = await cases.requireMoney(id);
    expect({ paid, returned }).toEqual({ paid: 2 * 5_900, returned: 0 });
  }

  test('one tap pays, moves the end and is not repeated; the payment has its invoice [spec 10.19]', async () => {
    const mine = await booked();
    expect(await extend(mine, 'pm_1')).toMatchObject({ differenceCents: 5_900, waiting: null });
    await requirePaidOnce(mine.id);
    for (const card of ['pm_1', undefined])
      expect(await extend(mine, card)).toMatchObject({ differenceCents: 5_900, waiting: null });
    expect(provider().charged).toHaveLength(1);
    const documents = await db.queryRow(
      `select count(*)::int as n, sum(cents)::int as cents from private.document where booking_id = $1::uuid`,
      [mine.id],
    );
    expect(documents).toEqual({ n: 2, cents: 2 * 5_900 });
  });

  test('the hour of a booking that has no payment, such as one of the service, is paid too', async () => {
    await booked();
    const person = await addPerson(db);
    await ensureCustomer(context(), person, 'person@example.com');
    provider().saveCard(person, 'pm_own', 'pays');
    const row = await db.transaction(async (tx) => {
      await tx.query(`select set_config('request.jwt.claims', '{"role": "service_role"}', true)`);
      return tx.queryRow<{ id: string }>(
        `insert into public.bookings (studio_id, user_id, start_time, end_time, status, notes)
         values ($1::uuid, $2::uuid, $3::timestamptz, $4::timestamptz, 'confirmed', 'test') returning id`,
        [STUDIO, person, new Date(SATURDAY + 2 * HOUR), new Date(SATURDAY + 3 * HOUR)],
      );
    });
    const id = row?.id ?? '';
    const place = await readExtension(context(), { bookingId: id, customer: person, hours: 1, from: null });
    const by = { waive: false, actor: person, customer: person, onlyLater: true, card: 'pm_own' };
    expect(await moveBooking(context(), { bookingId: id, ...place, ...by })).toMatchObject({ waiting: null });
    expect(await readHours(id)).toBe(2);
  });

  test.each(['declined', 'needs_customer', 'gone'] as const)(
    'a card that is %s leads to the pay page, which pays; nothing is taken twice',
    async (behaviour) => {
      const mine = await booked(behaviour);
      const { waiting } = await extend(mine, 'pm_1');
      expect(waiting).toMatchObject({ url: expect.stringContaining('https://'), cardProblem: behaviour });
      expect(await readHours(mine.id)).toBe(1);
      // Another tap uses another card. The page is closed before the card is charged.
      const page = await holdSession(mine.id);
      provider().saveCard(mine.person, 'pm_2', 'pays');
      expect(await extend(mine, 'pm_2')).toMatchObject({ waiting: null });
      expect((await cases.payments.getSession(page)).status).toBe('expired');
      await settlePayment(context(), page);
      await requirePaidOnce(mine.id);
      expect(provider().charged).toHaveLength(1);
    },
  );

  test('a charge whose answer is lost is found by the same tap, by its event, and by the end of the hold: taken once', async () => {
    for (const finish of ['tap', 'event', 'expiry'] as const) {
      const mine = await booked('lost');
      const before = provider().charged.length;
      expect((await extend(mine, 'pm_1')).waiting).toMatchObject({ url: null });
      expect(await readHours(mine.id)).toBe(1);
      if (finish === 'tap') expect(await extend(mine, 'pm_1')).toMatchObject({ waiting: null });
      if (finish === 'event') await settleIntent(context(), provider().events.at(-1)?.paymentIntentId ?? '');
      if (finish === 'expiry') {
        cases.system.state.now += 20 * MINUTE;
        await releaseExpiredHolds(context());
      }
      await requirePaidOnce(mine.id);
      expect(provider().charged.length - before, finish).toBe(1);
    }
  });

  test('a call that never arrived holds back the pay page while it may be on its way, and is not made later', async () => {
    const mine = await booked();
    const { chargeCard } = cases.payments;
    cases.payments.chargeCard = () => Promise.reject(noResponse);
    expect((await extend(mine, 'pm_1')).waiting).toMatchObject({ url: null });
    expect((await extend(mine)).waiting).toMatchObject({ url: null });
    cases.system.state.now += MINUTE;
    expect((await extend(mine)).waiting).toMatchObject({ url: expect.stringContaining('https://') });
    cases.payments.chargeCard = chargeCard;
    const page = await holdSession(mine.id);
    provider().move(page, 'pay');
    await settlePayment(context(), page);
    await requirePaidOnce(mine.id);
    expect(provider().charged).toEqual([]);
  });

  test('who paid on the pay page of another tab is not charged by a tap', async () => {
    const mine = await booked();
    await extend(mine);
    provider().move(await holdSession(mine.id), 'pay');
    expect(await extend(mine, 'pm_1')).toMatchObject({ waiting: null });
    await requirePaidOnce(mine.id);
    expect(provider().charged).toEqual([]);
  });

  test('taps in two tabs, and a tap beside the pay page, take the money once [spec 10.19]', async () => {
    for (let round = 0; round < RACES; round += 1) {
      const mine = await booked(round % 4 === 3 ? 'lost' : 'pays');
      const before = provider().charged.length;
      const other = round % 2 === 0 ? 'pm_1' : undefined;
      await Promise.allSettled([extend(mine, 'pm_1'), extend(mine, other)]);
      // A client that is unsure repeats the call, also after the first calls have ended.
      cases.system.state.now += MINUTE;
      for (const _ of [1, 2]) await extend(mine, 'pm_1');
      await requirePaidOnce(mine.id);
      expect(provider().charged.length - before).toBe(1);
      cases.system.state.now -= MINUTE;
    }
  });

  /**
   * Requires that each cent the provider took pays for hours of the booking or was refunded, and that no hold remains. Returns how many
   * times it was taken for the change.
   */
  async function audit({ id }: Mine, chargedBefore: number, pagesPaid: number): Promise<number> {
    const { paid, returned } = await cases.requireMoney(id);
    const row = await db.queryRow<{ cents: number; status: string; holds: number }>(
      `select b.final_cost_cents as cents, b.status, (select count(*)::int from private.booking h where h.moves_booking = b.id and h.status = 'pending') as holds
       from private.booking b where b.id = $1::uuid`,
      [id],
    );
    const taken = provider().charged.length - chargedBefore + pagesPaid;
    const difference = (row?.cents ?? 0) - 5_900;
    expect({ ...row, kept: paid - returned }).toMatchObject({ status: 'confirmed', holds: 0, kept: row?.cents });
    expect(paid).toBe(5_900 + (taken === 0 ? 0 : difference));
    return taken;
  }

  test(`a server that is killed at each of ${STOPS} sampled steps of a tap takes the money once or not at all: the same tap again, two tabs, the pay page, or nobody goes on`, async () => {
    const ways = [extend, reschedule].flatMap((change) =>
      (['tap', 'tabs', 'page', 'nobody'] as const).map((goesOn) => ({ change, goesOn })),
    );
    async function way({ change, goesOn }: (typeof ways)[number], dieAt: number, lost: boolean): Promise<number> {
      const mine = await booked();
      const before = provider().charged.length;
      const killed = killedAt(context(), dieAt, lost);
      await change(mine, 'pm_1', killed.context).catch(() => null);
      let pages = 0;
      if (goesOn === 'tap') await change(mine, 'pm_1');
      if (goesOn === 'tabs') await Promise.allSettled([change(mine, 'pm_1'), change(mine), change(mine, 'pm_1')]);
      if (goesOn === 'tabs' || goesOn === 'page') {
        // By then, the call of the killed server has ended.
        cases.system.state.now += MINUTE;
        const { waiting } = await change(mine);
        const page = await holdSession(mine.id);
        if (typeof waiting?.url === 'string' && (await cases.payments.getSession(page)).status === 'open') {
          provider().move(page, 'pay');
          pages = 1;
          await Promise.allSettled([settlePayment(context(), page), change(mine, 'pm_1')]);
        }
        await change(mine, 'pm_1');
      }
      if (goesOn === 'nobody') {
        cases.system.state.now += 20 * MINUTE;
        await releaseExpiredHolds(context());
      }
      const taken = await audit(mine, before, pages);
      if (goesOn === 'nobody') expect(taken).toBeLessThan(2);
      else expect(taken).toBe(1);
      return killed.steps();
    }
    let all = 0;
    for (const variant of ways.filter(({ goesOn }) => goesOn === 'tap'))
      all = Math.max(all, await way(variant, Infinity, false));
    if (STOPS === 'all') {
      for (let index = 1; index <= all; index += 1)
        for (const variant of ways) for (const lost of [false, true]) await way(variant, index, lost);
      return;
    }
    for (const [index, variant] of ways.entries())
      await way(variant, 1 + Math.floor((index * all) / ways.length), index % 3 === 0);
  }, 600_000);

  test('a customer whom people deleted at the provider has no cards any more, and gets another one with the next payment', async () => {
    const mine = await booked();
    provider().deleteCustomer(mine.person);
    expect(await listSavedCards(context(), mine.person)).toEqual([]);
    expect((await extend(mine)).waiting).toMatchObject({ url: null });
    const { waiting } = await extend(mine);
    expect(waiting).toMatchObject({ url: expect.stringContaining('https://') });
    const { customerId } = provider().getInput(await holdSession(mine.id));
    provider().saveCard(mine.person, 'pm_new', 'pays');
    expect(customerId).not.toBeNull();
    expect((await listSavedCards(context(), mine.person)).map(({ id }) => id)).toEqual(['pm_new']);
  });

  test('cards are read and removed for their own account only, and the provider forgets the customer with the account', async () => {
    const mine = await booked();
    const other = await addPerson(db);
    expect(await listSavedCards(context(), mine.person)).toMatchObject([{ id: 'pm_1', brand: 'visa', last4: '4242' }]);
    expect(await listSavedCards(context(), other)).toEqual([]);
    const gone = { code: 'not_found', message: 'This card is no longer saved.' };
    await expect(removeSavedCard(context(), other, 'pm_1')).rejects.toMatchObject(gone);
    await removeSavedCard(context(), mine.person, 'pm_1');
    await expect(removeSavedCard(context(), mine.person, 'pm_1')).rejects.toMatchObject(gone);
    await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
      mine.id,
    ]);
    const customer = await db.queryRow<{ id: string }>(
      'select customer_id as id from private.provider_customer where user_id = $1::uuid',
      [mine.person],
    );
    const deleted: string[] = [];
    cases.payments.deleteCustomer = (id) => {
      deleted.push(id);
      return Promise.resolve();
    };
    await deleteAccount(
      { ...context(), proveOwner: () => Promise.resolve(), forgetSessions: () => undefined },
      { userId: mine.person, sessionId: '', proof: { currentPassword: null, nonce: null } },
    );
    await cases.system.jobs.drain();
    expect(deleted).toEqual([customer?.id]);
  });
});
