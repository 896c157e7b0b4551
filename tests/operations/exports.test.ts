import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { bookForStaff } from '#server/operations/bookings/book-for-staff.ts';
import { readDocuments } from '#server/operations/exports/booking-document.ts';
import { exportCsv } from '#server/operations/exports/export.ts';
import { exportList } from '#server/operations/exports/lists.ts';
import { blockCustomer } from '#server/operations/customers/block.ts';
import { refundForStaff } from '#server/operations/payments/refund-for-staff.ts';
import { settlePayment } from '#server/operations/payments/settle.ts';
import { setSettings } from '#server/operations/settings/set-settings.ts';
import { addPerson, embedded, HOUR, MINUTE, START, STUDIO } from './booking-system.ts';
import { createPaymentCases, type PaymentCases } from './payment-cases.ts';

/** Midnight in Sydney, ten days ahead. */
const MIDNIGHT = START + 10 * 24 * HOUR - 11 * HOUR;
const at = (hour: number, hours = 1) => ({
  startTime: new Date(MIDNIGHT + hour * HOUR),
  endTime: new Date(MIDNIGHT + (hour + hours) * HOUR),
});
const ALWAYS = { from: new Date('2000-01-01'), to: new Date('2100-01-01') };

type ExportName = Parameters<typeof exportCsv>[1]['name'];

let db: Database;
let close: () => Promise<void>;
let cases: PaymentCases;
let staff: string;
let person: string;
/** Three bookings: paid with a coupon and partly refunded; paid and disputed; paid elsewhere by a guest. */
let [refunded, disputed, elsewhere] = ['', '', ''];
beforeAll(async () => {
  ({ db, close } = await embedded.open());
}, 180_000);
afterAll(() => close());
/**
 * This runs in the first test rather than in `beforeAll`: mutation testing assumes that every test covers the code that runs outside of
 * tests.
 */
let booked: Promise<void> | null = null;
beforeEach(() => (booked ??= book()));

async function book(): Promise<void> {
  cases = await createPaymentCases(db);
  const { system } = cases;
  [staff, person] = [await addPerson(db), await addPerson(db)];
  await db.query(
    `insert into public.discount_codes (code, discount_type, discount_value) values ('ODD', 'percentage', 13.37)`,
  );
  ({ id: refunded } = await system.book(person, { ...at(10, 3), couponCode: 'ODD' }));
  await refundForStaff(cases.payment, {
    bookingId: refunded,
    cents: 1_234,
    reason: 'Sorry',
    requestId: null,
    actor: staff,
    money: 'held',
  });
  await system.jobs.drain();
  system.state.now += HOUR;
  const other = await system.book(person, { ...at(14), details: { contactPhone: '+61411111111' } });
  disputed = other.id;
  // A minute passes, because lines of the same instant are sorted by their random ids.
  system.state.now += MINUTE;
  system.provider.move(other.sessionId, 'dispute');
  await settlePayment(cases.payment, other.sessionId);
  system.state.now += HOUR - MINUTE;
  await db.query(`update private.refund set created_at = $1::timestamptz`, [new Date(START + HOUR / 2)]);
  await db.query(`update public.profiles set created_at = $2::timestamptz where user_id = $1::uuid`, [
    person,
    new Date('2031-02-02T00:00:00Z'),
  ]);
  ({ bookingId: elsewhere } = await bookForStaff(system.services, {
    studioId: STUDIO,
    ...at(18, 2),
    customerEmail: 'guest@example.com',
    customerName: 'Sam "DJ" Guest',
    payment: 'elsewhere',
    priceCents: 4_000,
    notes: null,
    requestId: null,
    actor: staff,
    money: 'held',
  }));
}

const readText = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();
type Options = Partial<typeof ALWAYS & { readonly withIds: boolean }>;
const openExport = (name: ExportName, { withIds = true, ...range }: Options = {}) =>
  exportCsv(cases.system.services, { ...ALWAYS, ...range, name, withIds }, staff);
/** Returns the lines of a file, with words in place of the values that differ in each run. */
async function lines(name: ExportName, options: Options = {}): Promise<readonly string[]> {
  const { rows } = await db.query<{ text: string; word: string }>(
    `select b.reference as text, case b.id when $1::uuid then 'REFUNDED' when $2::uuid then 'DISPUTED' else 'ELSEWHERE' end as word
     from private.booking b union all select u.email, 'me@example.com' from auth.users u where u.id = $3::uuid`,
    [refunded, disputed, person],
  );
  let text = (await readText(await openExport(name, options))).replaceAll(/\b(pi|re|du)_[0-9a-f]+/g, '$1');
  for (const row of rows) text = text.replaceAll(row.text, row.word);
  return text.replaceAll(/(-[RDW]-)[0-9a-f]{8}/g, '$1').split('\r\n');
}

const readAuditBy = async (actor: string) =>
  (
    await db.query('select action, resource_type, resource_id, details from public.audit_logs where actor = $1::uuid', [
      actor,
    ])
  ).rows;

describe('the file of', () => {
  test('bookings has their hours, prices, coupon and customer, by the start', async () => {
    expect(await lines('bookings')).toEqual([
      'Reference,Studio,Start,End,Status,Cancelled because,Hours,Base,Volume discount,Coupon discount,Not charged,Total,Coupon,Customer,Email,Phone,Made,Confirmed,Cancelled',
      `REFUNDED,Studio,2031-03-11T10:00:00+11:00,2031-03-11T13:00:00+11:00,confirmed,,3,147.00,15.00,17.65,0.00,114.35,ODD,Alex Citizen,me@example.com,"'+61400000000",2031-03-01T11:00:00+11:00,2031-03-01T11:00:00+11:00,`,
      `DISPUTED,Studio,2031-03-11T14:00:00+11:00,2031-03-11T15:00:00+11:00,confirmed,,1,49.00,0.00,0.00,0.00,49.00,,Alex Citizen,me@example.com,"'+61411111111",2031-03-01T12:00:00+11:00,2031-03-01T12:00:00+11:00,`,
      'ELSEWHERE,Studio,2031-03-11T18:00:00+11:00,2031-03-11T20:00:00+11:00,confirmed,,2,118.00,0.00,0.00,78.00,40.00,,"Sam ""DJ"" Guest",guest@example.com,,2031-03-01T13:00:00+11:00,2031-03-01T13:00:00+11:00,',
      '',
    ]);
  });

  test('payments has what was paid, went back and is disputed, with the number of the invoice', async () => {
    expect(await lines('payments')).toEqual([
      'Reference,Studio,Paid at,Kind,State,Amount,Refunded,Disputed,Dispute,Tax invoice,Customer,Email,Payment',
      'REFUNDED,Studio,2031-03-01T11:00:00+11:00,card,paid,114.35,12.34,0.00,,000001,Alex Citizen,me@example.com,pi',
      'DISPUTED,Studio,2031-03-01T12:00:00+11:00,card,disputed,49.00,0.00,49.00,needs_response,000003,Alex Citizen,me@example.com,pi',
      'ELSEWHERE,Studio,2031-03-01T13:00:00+11:00,elsewhere,paid,40.00,0.00,0.00,,000004,"Sam ""DJ"" Guest",guest@example.com,',
      '',
    ]);
  });

  test('refunds names their payment and adjustment note', async () => {
    expect(await lines('refunds')).toEqual([
      'Reference,Studio,Made,Status,Amount,Made by,Adjustment note,Customer,Email,Refund,Payment',
      'REFUNDED,Studio,2031-03-01T11:30:00+11:00,succeeded,12.34,us,000002,Alex Citizen,me@example.com,re,pi',
      '',
    ]);
  });

  test('disputes has their reason and the day of the answer', async () => {
    expect(await lines('disputes')).toEqual([
      'Reference,Studio,Opened,Status,Reason,Amount,Answer by,Won,Customer,Email,Dispute,Payment',
      'DISPUTED,Studio,2031-03-01T12:01:00+11:00,needs_response,fraudulent,49.00,2031-03-21T12:01:00+11:00,,Alex Citizen,me@example.com,du,pi',
      '',
    ]);
  });

  test('customers has what each has booked and paid, and the ID check only for staff who may see it', async () => {
    const me = `Alex Citizen,me@example.com,"'+61400000000",,2031-02-02T11:00:00+11:00`;
    const range = { from: new Date('2031-02-02T00:00:00Z'), to: new Date('2031-02-03') };
    expect(await lines('customers', range)).toEqual([
      'Name,Email,Phone,DJ name,Since,ID verified until,Blocked,Bookings,Paid,Refunded',
      `${me},2033-02-28T11:00:00+11:00,no,2,163.35,12.34`,
      '',
    ]);
    expect(await lines('customers', { ...range, withIds: false })).toEqual([
      'Name,Email,Phone,DJ name,Since,Blocked,Bookings,Paid,Refunded',
      `${me},no,2,163.35,12.34`,
      '',
    ]);
    expect(await lines('customers', { from: ALWAYS.from, to: range.from, withIds: false })).toHaveLength(3);
    await blockCustomer(cases.system.services, { userId: person, reason: 'Damage', until: null }, staff);
    expect((await lines('customers', range))[1]).toContain(',yes,2,');
    await db.query('delete from private.customer_block');
  });

  test('sales for Xero has refunds and disputes as negative lines of their own', async () => {
    const sale = (number: string, document: string, what: string, amount: string) =>
      `Alex Citizen,me@example.com,${number},${document},01/03/2031,01/03/2031,"${what}",1,${amount},200,BAS Excluded`;
    const hours = 'Studio, Tuesday 11 March 2031';
    expect(await lines('xero')).toEqual([
      '*ContactName,EmailAddress,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,*Description,*Quantity,*UnitAmount,*AccountCode,*TaxType',
      sale('REFUNDED', '000001', `${hours}, 10 am to 1 pm`, '114.35'),
      sale('REFUNDED-R-', '000002', `Refund: ${hours}, 10 am to 1 pm`, '-12.34'),
      sale('DISPUTED', '000003', `${hours}, 2 pm to 3 pm`, '49.00'),
      sale('DISPUTED-D-', '', `Dispute: ${hours}, 2 pm to 3 pm`, '-49.00'),
      `"Sam ""DJ"" Guest",guest@example.com,ELSEWHERE,000004,01/03/2031,01/03/2031,"${hours}, 6 pm to 8 pm (not paid online)",1,40.00,200,BAS Excluded`,
      '',
    ]);
  });

  test('sales for Xero has a won dispute as a positive line, GST once the business is registered, and no name that is deleted', async () => {
    await setSettings(cases.system.services, { abn: '51824753556' }, staff);
    expect((await lines('xero')).filter((line) => line.endsWith(',GST on Income'))).toHaveLength(5);
    await db.query(
      `update private.dispute set status = 'won', provider_status = 'won', won_at = $1::timestamptz, needs_response = false`,
      [cases.system.clock()],
    );
    await db.query('update private.booking set guest_name = null, guest_email = null where id = $1::uuid', [elsewhere]);
    expect(await lines('xero')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/,DISPUTED-W-,,01\/03\/2031,01\/03\/2031,"Dispute won: Studio, .*",1,49\.00,/),
        expect.stringMatching(/^Former customer,,ELSEWHERE,/),
      ]),
    );
    expect((await lines('payments'))[2]).toContain(',49.00,0.00,0.00,won,');
    expect((await lines('disputes'))[1]).toContain(',2031-03-01T13:00:00+11:00,Alex Citizen,');
    await setSettings(cases.system.services, { abn: '' }, staff);
  });
});

test('a file has what is from the start of its range to before the end, and an entry in the audit log', async () => {
  const [from, to] = [at(14).startTime, at(18).startTime];
  const actor = randomUUID();
  const file = await exportCsv(cases.system.services, { from, to, name: 'bookings', withIds: true }, actor);
  expect((await readText(file)).split('\r\n')).toHaveLength(3);
  expect((await lines('bookings', { from, to }))[1]).toMatch(/^DISPUTED,/);
  expect(await readAuditBy(actor)).toEqual([
    {
      action: 'export',
      resource_type: 'export',
      resource_id: 'bookings',
      details: { from: from.toISOString(), to: to.toISOString() },
    },
  ]);
  for (const end of [from, new Date(from.getTime() - 1)])
    await expect(openExport('bookings', { from, to: end })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'to must be after from.',
    });
});

test('the mailing list is exported whole over pages of rows, with who left and why a mail bounced', async () => {
  await db.query(
    `insert into public.mailing_list (email, consented_at, created_at)
     select 'p' || lpad(n::text, 4, '0') || '@example.com', $1::timestamptz, $1::timestamptz from generate_series(1, 1000) n`,
    [new Date(START)],
  );
  await db.query(
    `insert into public.mailing_list (email, consented_at, created_at, unsubscribed_at, bounced_at, bounce_reason)
     values ('last@example.com', $1::timestamptz, $1::timestamptz, $1::timestamptz, $1::timestamptz, 'No such person')`,
    [new Date(START + HOUR)],
  );
  const actor = randomUUID();
  const list = (await readText(await exportList(cases.system.services, { list: 'mailing-list' }, actor))).split('\r\n');
  const joined = '2031-03-01T11:00:00+11:00';
  const all = Array.from({ length: 1000 }, (_, n) => `p${String(n + 1).padStart(4, '0')}@example.com,${joined},,,`);
  expect(list[0]).toBe('Email,Joined,Left,Bounced,Bounced because');
  expect(list.slice(1, 1001).toSorted()).toEqual(all);
  const later = '2031-03-01T12:00:00+11:00';
  expect(list.slice(1001)).toEqual([`last@example.com,${later},${later},${later},No such person`, '']);
  expect(await readAuditBy(actor)).toEqual([
    { action: 'export', resource_type: 'mailing-list', resource_id: null, details: {} },
  ]);
});

test('gift codes are exported by batch, with their discount, use and end', async () => {
  const batchId = randomUUID();
  await db.query(`insert into private.gift_batch (id, prefix, size, made_by) values ($1::uuid, 'GIFT', 2, $2::uuid)`, [
    batchId,
    staff,
  ]);
  await db.query(
    `insert into public.discount_codes (code, discount_type, discount_value, gift_batch_id, created_at, active, current_uses, expires_at)
     values ('GIFT1', 'percentage', 12.5, $1::uuid, $2::timestamptz, true, 1, $3::timestamptz),
       ('GIFT2', 'fixed', 20, $1::uuid, $3::timestamptz, false, 0, null)`,
    [batchId, new Date(START), new Date(START + HOUR)],
  );
  const list = (id: string) =>
    exportList(cases.system.services, { list: 'gift-codes', batchId: id }, staff).then(readText);
  expect(await list(batchId)).toBe(
    'Code,Discount,Used,Active,Expires\r\nGIFT1,12.5%,yes,yes,2031-03-01T12:00:00+11:00\r\nGIFT2,$20.00,no,no,\r\n',
  );
  await expect(list(randomUUID())).rejects.toMatchObject({
    code: 'not_found',
    message: 'This batch of codes doesn’t exist.',
  });
});

test('the documents of a booking are read for its customer and for staff, and for nobody else', async () => {
  const read = (bookingId: string, userId: string | null) =>
    readDocuments(cases.system.services, { bookingId, userId });
  const documents = [
    { number: 1, kind: 'invoice', cents: 11_435, content: { couponCode: 'ODD', studioName: 'Studio' } },
    { number: 2, kind: 'adjustment', cents: 1_234 },
  ];
  expect(await read(refunded, person)).toMatchObject({ documents });
  expect(await read(refunded, null)).toMatchObject({ documents });
  await expect(read(refunded, staff)).rejects.toMatchObject({ code: 'not_found', message: 'Booking not found' });
  const { bookingId } = await bookForStaff(cases.system.services, {
    studioId: STUDIO,
    ...at(22),
    customerEmail: 'guest@example.com',
    customerName: 'Sam Guest',
    payment: 'link',
    notes: null,
    requestId: null,
    actor: staff,
    money: 'held',
  });
  await expect(read(bookingId, null)).rejects.toMatchObject({
    code: 'not_found',
    message: 'There is no receipt for this booking: nothing was paid for it.',
  });
});
