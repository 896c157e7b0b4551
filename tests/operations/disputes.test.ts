import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { constants as studio } from '#rules/venue.ts';
import type { Database } from '#server/db/database.ts';
import { recordReport } from '#server/operations/access/record-report.ts';
import { cancelBooking } from '#server/operations/bookings/cancel.ts';
import { readBooking } from '#server/operations/core/booking-rows.ts';
import { gatherEvidence } from '#server/operations/exports/dispute-evidence.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { readDisputes } from '#server/operations/staff/read-disputes.ts';
import { addPerson, embedded, HOUR, LOCK, MINUTE, START } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

let db: Database;
let close: () => Promise<void>;
let { system, payments, readPayments, readJobKinds } = {} as PaymentCases;

beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
beforeEach(async () => {
  ({ system, payments, readPayments, readJobKinds } = await createPaymentCases(db));
});

describe('several disputes of one payment', () => {
  test.each([
    ['newest first', false],
    ['oldest first', true],
  ])('are judged by the newest, listed %s; an open dispute queues no refund', async (_order, turned) => {
    const person = await addPerson(db);
    const { id, sessionId } = await system.book(person);
    await db.query('delete from private.outbox');
    system.provider.move(sessionId, 'dispute');
    const facts = { reason: 'fraudulent', amountCents: 4900, dueAt: new Date(START + 72 * HOUR) };
    const older = {
      ...facts,
      id: `du_${randomUUID()}`,
      status: 'won',
      providerStatus: 'won',
      needsResponse: false,
      createdAt: new Date(START),
    } as const;
    const newer = {
      ...facts,
      id: `du_${randomUUID()}`,
      status: 'open',
      providerStatus: 'needs_response',
      needsResponse: true,
      createdAt: new Date(START + MINUTE),
    } as const;
    payments.listDisputes = () => Promise.resolve(turned ? [older, newer] : [newer, older]);
    expect(await settlePayment(system.services, sessionId)).toMatchObject({
      paid: true,
      payment: { state: 'disputed', disputeId: newer.id, disputeStatus: 'open' },
    });
    expect(await readJobKinds(id)).toEqual([]);
    const stored = async () => {
      const { rows } = await db.query(
        `select d.id, d.provider_status as status, d.needs_response as waits, d.due_at as due from private.dispute d
         join private.payment p on p.id = d.payment_id where p.booking_id = $1::uuid order by d.opened_at`,
        [id],
      );
      return rows;
    };
    const { dueAt: due } = facts;
    expect(await stored()).toEqual([
      { id: older.id, status: 'won', waits: false, due },
      { id: newer.id, status: 'needs_response', waits: true, due },
    ]);
    // The dispute has been answered at the provider.
    payments.listDisputes = () => Promise.resolve([{ ...newer, providerStatus: 'under_review', needsResponse: false }]);
    await settlePayment(system.services, sessionId);
    expect((await stored())[1]).toEqual({ id: newer.id, status: 'under_review', waits: false, due });
  });

  test('have their evidence in one file, which the audit log has, without digits of codes and with everything escaped; without ID checks for staff who may not see them', async () => {
    const person = await addPerson(db);
    await db.query(`update public.profiles set full_name = 'Alex <b>Citizen' where user_id = $1::uuid`, [person]);
    await db.query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at)
       values ($1::uuid, 'photo', 'verified', $2::timestamptz, $2::timestamptz + interval '1 year')`,
      [person, new Date(START)],
    );
    const { id, sessionId } = await system.book(person);
    await system.jobs.drain();
    system.state.now = Number((await readBooking(db, id))?.startTime) - HOUR;
    await system.jobs.drain();
    const [pin = ''] = [...system.state.codes.keys()].map((key) => key.split(':')[1] ?? '');
    system.state.now += HOUR + 6 * MINUTE;
    await recordReport(system.services, { lockId: LOCK, kind: 'code', pin, at: new Date(system.state.now) });
    system.provider.move(sessionId, 'dispute');
    await settlePayment(system.services, sessionId);
    const { name, html } = await gatherEvidence(system.services, { bookingId: id, withIds: true }, person);
    const [dispute] = await readDisputes(system.services, id);
    expect(dispute).toMatchObject({ status: 'open', providerStatus: 'needs_response', reason: 'fraudulent' });
    expect(name).toMatch(/^dispute-evidence-[A-Z0-9-]+\.html$/);
    for (const text of [
      'Alex &lt;b&gt;Citizen',
      dispute?.id ?? '',
      'fraudulent',
      `Version ${studio.termsVersion}`,
      `<h2>Terms, version ${studio.termsVersion}</h2>`,
      'Photo of a licence, compared with the account',
      'Opened with a code of this booking, 6 min after the start',
      'Booking confirmation email',
      'Full refund up to 24 hours before the start',
    ])
      expect(html).toContain(text);
    const without = await gatherEvidence(system.services, { bookingId: id, withIds: false }, person);
    expect([
      html.includes('ID checks'),
      without.html.includes('ID checks'),
      without.html.includes('Photo of a licence, compared'),
    ]).toEqual([true, false, false]);
    expect([html.includes('<b>'), pin === '', html.includes(pin)]).toEqual([false, false, false]);
    const log = await db.queryRow<{ disputes: unknown }>(
      `select details -> 'disputes' as disputes from public.audit_logs where action = 'export' and resource_id = $1 and actor = $2::uuid`,
      [id, person],
    );
    expect(log).toEqual({ disputes: [dispute?.id] });
    await expect(
      gatherEvidence(system.services, { bookingId: randomUUID(), withIds: true }, person),
    ).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
  });

  test('quote the terms of the booking with its own cancellation period, whatever staff set before and afterwards', async () => {
    const set = async (changes: unknown, at = system.state.now): Promise<string> => {
      const row = await db.queryRow<{ version: string }>(
        `select private.set_business_settings($1::jsonb, null, $2::timestamptz) ->> 'termsVersion' as version`,
        [changes, new Date(at)],
      );
      return row?.version ?? '';
    };
    const person = await addPerson(db);
    const terms = [{ title: 'Cancelling', text: 'Free until {cancelHours} hours before, at {name}.' }];
    const before = await set({ terms: [{ title: 'Old', text: 'Until {cancelHours} hours.' }], freeCancelHours: 36 });
    await db.query(
      `insert into public.terms_acceptances (user_id, version, accepted_at) values ($1::uuid, $2, $3::timestamptz)`,
      [person, before, new Date(system.state.now)],
    );
    const version = await set({ terms, freeCancelHours: 48, name: 'Harbour' });
    const { id } = await system.book(person, { termsAccepted: true });
    system.state.now += MINUTE;
    await set({ name: 'Lighthouse' });
    const later = await set({ freeCancelHours: 12 });
    await db.query(
      `insert into public.terms_acceptances (user_id, version, accepted_at) values ($1::uuid, $2, $3::timestamptz)`,
      [person, later, new Date(system.state.now)],
    );
    const { html } = await gatherEvidence(system.services, { bookingId: id, withIds: true }, person);
    for (const text of [
      `Version ${before}`,
      `Version ${version}`,
      `<h2>Terms, version ${version}</h2>`,
      'Free until 48 hours before, at Harbour.',
      'Full refund up to 48 hours before the start',
    ])
      expect(html).toContain(text);
    expect(html.match(/<h2>Terms, version/g)).toHaveLength(1);
    for (const text of [`Version ${later}`, '12 hours', '36 hours', 'Lighthouse']) expect(html).not.toContain(text);
    await set({ terms: firstSettings.terms, freeCancelHours: 24, name: firstSettings.name });
  });

  test('are refunded when the last is won after the booking was cancelled', async () => {
    const person = await addPerson(db);
    const startTime = new Date(START + 72 * HOUR);
    const { id, sessionId } = await system.book(person, { startTime, endTime: new Date(+startTime + HOUR) });
    system.provider.move(sessionId, 'dispute');
    await settlePayment(system.services, sessionId);
    expect(await cancelBooking(system.services, id, person)).toEqual({ refund: 'none', amountCents: 0, byHand: false });
    await system.jobs.drain();
    expect(system.provider.refundKeys).toEqual([]);
    system.provider.move(sessionId, 'dispute won');
    await settlePayment(system.services, sessionId);
    expect(await readPayments(id)).toMatchObject([{ state: 'refund_pending' }]);
    await system.jobs.drain();
    expect(system.provider.refundKeys).toHaveLength(1);
    expect(await readPayments(id)).toMatchObject([{ state: 'refunded' }]);
  });
});
