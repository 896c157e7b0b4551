import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { type Moved, type Move, moveBooking } from '#server/operations/bookings/move.ts';
import { readExtension } from '#server/operations/bookings/own-move.ts';
import { releaseExpiredHolds } from '#server/operations/bookings/release-expired.ts';
import { deleteAccount } from '#server/operations/customers/account.ts';
import { ensureCustomer, listSavedCards, removeSavedCard } from '#server/operations/customers/provider-customer.ts';
import { settleIntent, settlePayment } from '#server/operations/payments/settle.ts';
import type { CardBehaviour } from '#tests/support/payments.ts';
import { addPerson, databases, HOUR, MINUTE, START } from './booking-system.ts';
import { createPaymentCases, noResponse, type PaymentCases } from './payment-cases.ts';

const DAY = 24 * HOUR;
const SATURDAY = START + 7 * DAY;
const RACES = process.env['TEST_LONG'] ? 200 : 20;

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
    // The hold of new hours does not count those of other tests.
    await db.query('delete from private.outbox');
  });

  const context = () => cases.system.booking;
  const provider = () => cases.system.provider;
  /** A booking of one hour, and a card of its customer that behaves so. */
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
    provider().cards.set('pm_1', card);
    return { id, person };
  }
  /** Asks for one more hour, from the end at first. `card`: undefined for the pay page. */
  async function extend({ id, person }: { id: string; person: string }, card?: string): Promise<Moved> {
    const from = new Date(SATURDAY + HOUR);
    const { studioId, ...span } = await readExtension(context(), { bookingId: id, customer: person, hours: 1, from });
    const by = { waive: false, actor: person, customer: person, onlyLater: true };
    const move: Move = { bookingId: id, studioId, ...span, ...by, card: card ?? null };
    return moveBooking(context(), move);
  }
  const hoursOf = async (id: string): Promise<number> =>
    Number((await db.one<{ h: string }>('select total_hours as h from private.booking where id = $1::uuid', [id]))?.h);
  const holdSession = async (id: string): Promise<string> =>
    (
      await db.one<{ s: string }>(
        `select p.session_id as s from private.payment p join private.booking b on b.id = p.booking_id
         where b.moves_booking = $1::uuid and p.session_id like 'cs_%' order by p.created_at desc, p.attempt desc limit 1`,
        [id],
      )
    )?.s ?? '';
  /** The booking has the hour, and one payment for it that nobody gave back. */
  async function requirePaidOnce(id: string): Promise<void> {
    expect(await hoursOf(id)).toBe(2);
    const { paid, returned } = await cases.moneyOf(id);
    expect({ paid, returned }).toEqual({ paid: 2 * 5_900, returned: 0 });
  }

  test('one tap pays, moves the end and is not repeated; the payment has its invoice', async () => {
    const mine = await booked();
    expect(await extend(mine, 'pm_1')).toMatchObject({ differenceCents: 5_900, waiting: null });
    await requirePaidOnce(mine.id);
    for (const card of ['pm_1', undefined])
      expect(await extend(mine, card)).toMatchObject({ differenceCents: 5_900, waiting: null });
    expect(provider().charged).toHaveLength(1);
    const documents = await db.one(
      `select count(*)::int as n, sum(cents)::int as cents from private.document where booking_id = $1::uuid`,
      [mine.id],
    );
    expect(documents).toEqual({ n: 2, cents: 2 * 5_900 });
  });

  test.each(['declined', 'needs_customer', 'gone'] as const)(
    'a card that is %s leads to the pay page, which pays; nothing is taken twice',
    async (behaviour) => {
      const mine = await booked(behaviour);
      const { waiting } = await extend(mine, 'pm_1');
      expect(waiting).toMatchObject({ url: expect.stringContaining('https://'), cardProblem: behaviour });
      expect(await hoursOf(mine.id)).toBe(1);
      // Another tap finds another card. The page is closed before it is charged.
      const page = await holdSession(mine.id);
      provider().cards.set('pm_2', 'pays');
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
      expect(await hoursOf(mine.id)).toBe(1);
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

  test('taps in two tabs, and a tap beside the pay page, take the money once', async () => {
    for (let round = 0; round < RACES; round += 1) {
      const mine = await booked(round % 4 === 3 ? 'lost' : 'pays');
      const before = provider().charged.length;
      const other = round % 2 === 0 ? 'pm_1' : undefined;
      await Promise.allSettled([extend(mine, 'pm_1'), extend(mine, other)]);
      // Whoever is not sure asks again, also after the calls have ended.
      cases.system.state.now += MINUTE;
      for (const _ of [1, 2]) await extend(mine, 'pm_1');
      await requirePaidOnce(mine.id);
      expect(provider().charged.length - before).toBe(1);
      cases.system.state.now -= MINUTE;
    }
  });

  test('cards are read and removed for their own account only, and the provider forgets the customer with the account', async () => {
    const mine = await booked();
    const other = await addPerson(db);
    expect(await listSavedCards(context(), mine.person)).toMatchObject([{ id: 'pm_1', brand: 'visa', last4: '4242' }]);
    expect(await listSavedCards(context(), other)).toEqual([]);
    await expect(removeSavedCard(context(), other, 'pm_1')).rejects.toMatchObject({ code: 'not_found' });
    await removeSavedCard(context(), mine.person, 'pm_1');
    await expect(removeSavedCard(context(), mine.person, 'pm_1')).rejects.toMatchObject({ code: 'not_found' });
    await db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = $1::uuid`, [
      mine.id,
    ]);
    const deleted: string[] = [];
    cases.payments.deleteCustomer = (id) => {
      deleted.push(id);
      return Promise.resolve();
    };
    await deleteAccount(
      { db, clock: cases.system.clock, proveOwner: () => Promise.resolve(), forgetSessions: () => undefined },
      { userId: mine.person, sessionId: '', proof: { currentPassword: null, nonce: null } },
    );
    await cases.system.jobs.drain();
    expect(deleted).toEqual([`cus_${mine.person}`]);
  });
});
