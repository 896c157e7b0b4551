import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { studioDate } from '#rules/studio-time.ts';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  readPayment,
  span,
  STUDIO_A,
  type TestServer,
  until,
} from '#tests/support/test-server.ts';

const XERO =
  '*ContactName,EmailAddress,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,*Description,*Quantity,*UnitAmount,*AccountCode,*TaxType';

describe.each(engines)('exports on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let customer: Customer;
  let from: string;
  let to: string;
  beforeAll(async () => {
    server = await open();
    [staff, customer] = [await server.addCustomer(), await server.addCustomer()];
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
    await server.app.db.query(
      `insert into public.discount_codes (code, discount_type, discount_value) values ('ODD', 'percentage', 13.37)`,
    );
    from = new Date(server.now().getTime() - 60_000).toISOString();
    for (const [at, couponCode] of [
      [30, 'ODD'],
      [34, null],
      [38, 'ODD'],
    ] as const) {
      const held = await server.call(
        'create-payment',
        checkout(span(server.now(), at, 3), { couponCode }),
        customer.token,
      );
      const { id } = await readPayment(server, held.body['bookingId']);
      await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
      await server.call('verify-payment', { sessionId: id }, customer.token);
      if (at === 34) await server.sandbox(`/api/payments/${id}/refunds`, { amount: 1_234 });
    }
    await until(async () => (await rows('select from private.refund')).length === 1);
    to = new Date(server.now().getTime() + 60_000).toISOString();
  }, 180_000);
  afterAll(() => server.close());

  const db = () => server.app.db;
  const rows = <R>(text: string, values: readonly unknown[] = []): Promise<readonly R[]> =>
    server.app.db.query<R>(text, values).then((result) => result.rows);
  const send = (body: Record<string, unknown>, token = staff.token) =>
    fetch(`${server.url}/functions/v1/staff-export`, {
      method: 'POST',
      headers: {
        apikey: server.app.keys.anonKey,
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  /** Returns the lines of a file cell by cell, without quotes. */
  async function lines(
    kind: string,
    range: Record<string, unknown> = { from, to },
  ): Promise<readonly Record<string, string>[]> {
    const response = await send({ kind, ...range });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const [head = '', ...rest] = (await response.text()).trimEnd().split('\r\n');
    const cells = (line: string): string[] =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    return rest.map((line) => Object.fromEntries(cells(head).map((name, index) => [name, cells(line)[index] ?? ''])));
  }
  const sum = (list: readonly Record<string, string>[], column: string): number =>
    list.reduce((total, line) => total + Math.round(Number(line[column]) * 100), 0);
  const ledger = async (text: string): Promise<number | undefined> => (await rows<{ cents: number }>(text))[0]?.cents;

  it('the amounts of payments, refunds and Xero sales equal the ledger to the cent', async () => {
    const paid = await ledger('select sum(paid_cents)::int as cents from private.payment where paid_at is not null');
    const refunded = await ledger(
      `select sum(amount_cents)::int as cents from private.refund where status = 'succeeded'`,
    );
    expect([paid, refunded]).toEqual([expect.any(Number), 1_234]);
    // The coupon makes the amount end in cents.
    expect((paid ?? 0) % 100).not.toBe(0);
    const payments = await lines('payments');
    expect(payments).toHaveLength(3);
    expect([sum(payments, 'Amount'), sum(payments, 'Refunded')]).toEqual([paid, refunded]);
    expect(sum(await lines('refunds'), 'Amount')).toBe(refunded);
    expect(sum(await lines('xero'), '*UnitAmount')).toBe((paid ?? 0) - (refunded ?? 0));
    expect(sum(await lines('bookings', { from, to: span(server.now(), 60).endTime }), 'Total')).toBe(paid);
    const mine = (await lines('customers')).filter((line) => line['Email'] === customer.email);
    expect([sum(mine, 'Paid'), sum(mine, 'Refunded')]).toEqual([paid, refunded]);
  });

  it('the Xero file has its columns, one number for each line, days as Australians write them, and refunds as negative lines', async () => {
    const response = await send({ kind: 'xero', from, to });
    expect((await response.text()).split('\r\n')[0]).toBe(XERO);
    const list = await lines('xero');
    expect(new Set(list.map((line) => line['*InvoiceNumber'])).size).toBe(4);
    for (const line of list)
      expect(line).toMatchObject({
        '*ContactName': 'Alex Citizen',
        EmailAddress: customer.email,
        '*InvoiceDate': expect.stringMatching(/^\d\d\/\d\d\/20\d\d$/),
        '*Quantity': '1',
        '*AccountCode': '200',
        '*TaxType': 'BAS Excluded',
      });
    expect(
      list.filter((line) => line['*Description']?.startsWith('Refund: ')).map((line) => line['*UnitAmount']),
    ).toEqual(['-12.34']);
  });

  it('payments, refunds and the lines for Xero have the number of their tax invoice or adjustment note', async () => {
    const documents = await rows<{ number: string; kind: string; amount: string }>(
      `select lpad(number::text, 6, '0') as number, kind, (cents / 100.0)::numeric(9, 2)::text as amount from private.document order by number`,
    );
    expect(documents.map(({ kind }) => kind).toSorted()).toEqual(['adjustment', 'invoice', 'invoice', 'invoice']);
    const numbered = (list: readonly Record<string, string>[], column: string, amount: string) =>
      list.map((line) => `${line[column]}: ${line[amount]}`).toSorted();
    const of = (kind: string, sign = '') =>
      documents
        .filter((document) => document.kind === kind)
        .map((document) => `${document.number}: ${sign}${document.amount}`);
    expect(numbered(await lines('payments'), 'Tax invoice', 'Amount')).toEqual(of('invoice').toSorted());
    expect(numbered(await lines('refunds'), 'Adjustment note', 'Amount')).toEqual(of('adjustment'));
    const xero = numbered(await lines('xero'), 'Reference', '*UnitAmount');
    expect(xero).toEqual([...of('invoice'), ...of('adjustment', '-')].toSorted());
  });

  it('the lines for Xero have the account that staff set', async () => {
    const set = (salesAccount: string) =>
      server.call('staff-set-settings', { salesAccount }, server.app.keys.serviceRoleKey);
    expect((await set('SALES-1')).status).toBe(200);
    expect(new Set((await lines('xero')).map((line) => line['*AccountCode']))).toEqual(new Set(['SALES-1']));
    expect((await set('20 0')).status).toBe(400);
    expect((await set('200')).status).toBe(200);
  });

  it('a dispute is in the list of disputes and a negative line of the Xero file; once won, a positive line as well', async () => {
    const [paid] = await rows<{ session: string; reference: string; cents: number }>(
      `select x.session_id as session, b.reference, x.paid_cents as cents from private.payment x join private.booking b on b.id = x.booking_id
       where x.state = 'paid' and x.refunded_cents = 0 order by x.paid_at limit 1`,
    );
    const range = { from, to: new Date(server.now().getTime() + 3_600_000).toISOString() };
    const before = sum(await lines('xero', range), '*UnitAmount');
    const disputed = async () =>
      (await lines('xero', range)).filter((line) => line['*Description']?.startsWith('Dispute'));
    await server.sandbox(`/api/payments/${paid?.session}/disputes`, { reason: 'product_not_received' });
    await until(async () => (await lines('disputes', range)).length === 1);
    const amount = ((paid?.cents ?? 0) / 100).toFixed(2);
    const open = {
      Reference: paid?.reference,
      Status: 'needs_response',
      Reason: 'product_not_received',
      Amount: amount,
      Won: '',
    };
    const [listed] = await lines('disputes', range);
    expect(listed).toMatchObject(open);
    expect(await disputed()).toMatchObject([{ '*UnitAmount': `-${amount}`, Reference: '' }]);
    const payment = async () => (await lines('payments', range)).find((line) => line['Reference'] === paid?.reference);
    expect(await payment()).toMatchObject({ Amount: amount, Disputed: amount, Dispute: 'needs_response' });
    expect(sum(await lines('xero', range), '*UnitAmount')).toBe(before - (paid?.cents ?? 0));
    await server.sandbox(`/api/disputes/${listed?.['Dispute']}`, { outcome: 'won' });
    await until(async () => (await disputed()).length === 2);
    const won = await disputed();
    expect(won.map((line) => line['*UnitAmount'])).toEqual([`-${amount}`, amount]);
    expect(won[1]?.['*Description']).toMatch(/^Dispute won: /);
    expect(new Set(won.map((line) => line['*InvoiceNumber'])).size).toBe(2);
    expect(sum(await lines('xero', range), '*UnitAmount')).toBe(before);
    expect(await payment()).toMatchObject({ Disputed: '0.00', Dispute: 'won' });
    expect((await lines('disputes', range))[0]).toMatchObject({ Status: 'won', Won: expect.stringMatching(/^20/) });
  });

  it('times are Sydney’s with their offset, and names cannot become formulas', async () => {
    const { id } = await server.addCustomer();
    await rows(
      `update public.profiles set full_name = '=HYPERLINK("https://example.com","x")' where user_id = $1::uuid`,
      [id],
    );
    const list = await lines('customers');
    expect(list.map((line) => line['Name'])).toContain(`'=HYPERLINK(""https://example.com"",""x"")`);
    for (const line of list) expect(line['Since']).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\+1[01]:00$/);
    expect(list.every((line) => line['Phone']?.startsWith("'+61"))).toBe(true);
  });

  it('a file longer than a page has each row once, in order, also where many rows have the same time', async () => {
    await rows(
      `insert into private.payment (booking_id, attempt, kind, key, amount_cents, paid_cents, state, paid_at)
       select (select id from private.booking where status = 'confirmed' limit 1), n + 100, 'card', 'page:' || n, n, n, 'refunded',
         '2020-03-01T00:00:00.000123Z'::timestamptz + (n % 2) * interval '1 microsecond'
       from generate_series(1, 1001) n`,
    );
    const range = { from: '2020-03-01', to: '2020-03-01' };
    const payments = await lines('payments', range);
    expect(payments).toHaveLength(1_001);
    expect(sum(payments, 'Amount')).toBe((1_001 * 1_002) / 2);
    const sales = await lines('xero', range);
    expect(new Set(sales.map((sale) => sale['*InvoiceNumber'])).size).toBe(1_001);
    expect(sum(sales, '*UnitAmount')).toBe((1_001 * 1_002) / 2);
  });

  it('a day counts whole in Sydney, the last one too; an instant ends the file before it', async () => {
    const add = (at: string) =>
      rows(
        `insert into private.booking (reference, studio_id, studio_name, start_time, end_time, status, hold_expires_at, total_hours, base_cost_cents, final_cost_cents, cancel_reason)
         values (private.new_reference(), '${STUDIO_A}', 'A', $1::timestamptz, $1::timestamptz + interval '1 hour', 'pending', $1::timestamptz, 1, 0, 0, null)`,
        [at],
      );
    for (const at of [
      '2021-03-01T23:00:00+11:00',
      '2021-03-02T00:00:00+11:00',
      '2021-03-03T23:00:00+11:00',
      '2021-03-04T00:00:00+11:00',
    ])
      await add(at);
    const days = async (range: Record<string, unknown>) =>
      (await lines('bookings', range)).map((line) => line['Start']?.slice(5, 13));
    expect(await days({ from: '2021-03-02', to: '2021-03-03' })).toEqual(['03-02T00', '03-03T23']);
    expect(await days({ from: '2021-03-02T00:00:00+11:00', to: '2021-03-03T23:00:00+11:00' })).toEqual(['03-02T00']);
  });

  it('each export is in the audit log with its range', async () => {
    const range = { from: '2019-01-01T00:00:00.000Z', to: '2019-02-01T00:00:00.000Z' };
    await lines('refunds', range);
    expect(
      await rows(
        `select actor, resource_id as kind, details from public.audit_logs where action = 'export' and details ->> 'from' = $1`,
        [range.from],
      ),
    ).toEqual([{ actor: staff.id, kind: 'refunds', details: range }]);
  });

  it.each([
    ['an unknown kind', { kind: 'constructor' }],
    ['a day that does not exist', { from: '2026-02-30' }],
    ['an end before the start', { from: '2026-02-03', to: '2026-02-01' }],
  ])('%s is refused', async (_name, more) => {
    const response = await send({ kind: 'payments', from: '2026-02-01', to: '2026-02-28', ...more });
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('error.code', 'invalid_request');
  });

  it('until when an ID is verified is in the file of customers for staff who may see IDs, and no such column for others', async () => {
    const colleague = await server.addCustomer();
    const heads = async (token: string): Promise<string[]> => {
      const text = await (await send({ kind: 'customers', from, to }, token)).text();
      return text.trimEnd().split('\r\n').slice(0, 2);
    };
    const allow = (permissions: readonly string[]) =>
      server.call('staff-set-permissions', { userId: colleague.id, permissions }, staff.token);
    await allow(['money']);
    const [head = '', first = ''] = await heads(colleague.token);
    expect(head).toBe('Name,Email,Phone,DJ name,Since,Blocked,Bookings,Paid,Refunded');
    expect(first.split(',')).toHaveLength(9);
    await allow(['money', 'identity']);
    expect((await heads(colleague.token))[0]).toBe(
      'Name,Email,Phone,DJ name,Since,ID verified until,Blocked,Bookings,Paid,Refunded',
    );
  });

  it('guests, customers and staff without the permission get no file, and nothing is logged', async () => {
    const colleague = await server.addCustomer();
    const permissions = ['identity', 'bookings', 'settings'];
    await server.call('staff-set-permissions', { userId: colleague.id, permissions }, staff.token);
    const exported = async () => (await rows(`select from public.audit_logs where action = 'export'`)).length;
    const before = await exported();
    for (const [token, status] of [
      [customer.token, 403],
      [colleague.token, 403],
      [server.app.keys.anonKey, 401],
    ] as const)
      expect((await send({ kind: 'customers', from, to }, token)).status).toBe(status);
    expect(await exported()).toBe(before);
  });

  it('the codes of a gift batch and the mailing list are files for staff who may do settings, and the audit log says so', async () => {
    const batch = randomUUID();
    const created = await server.client(staff.token).rpc('make_gift_codes', {
      batch,
      amount: 3,
      prefix: 'xmas',
      terms: { discount_type: 'fixed', discount_value: 59 },
    });
    expect(created.data).toBe(3);
    await server.client().from('mailing_list').insert({ email: '=sum@example.com' });
    const list = (body: Record<string, unknown>, token = staff.token) =>
      fetch(`${server.url}/functions/v1/staff-export-list`, {
        method: 'POST',
        headers: {
          apikey: server.app.keys.anonKey,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    const codes = await (await list({ list: 'gift-codes', batchId: batch })).text();
    expect(codes.replaceAll(/-[2-9A-Z]{4}-[2-9A-Z]{4}/g, '-N')).toBe(
      ['Code,Discount,Used,Active,Expires', ...[1, 2, 3].map(() => 'XMAS-N,$59.00,no,yes,'), ''].join('\r\n'),
    );
    expect(await (await list({ list: 'mailing-list' })).text()).toMatch(/\r\n"'=sum@example.com",20[^\r]+,,,\r\n$/);
    expect((await list({ list: 'gift-codes', batchId: randomUUID() })).status).toBe(404);
    expect((await list({ list: 'mailing-list' }, customer.token)).status).toBe(403);
    const entries = await rows(
      `select resource_type as type, resource_id as id, actor from public.audit_logs where action = 'export' and resource_type <> 'export' order by created_at`,
    );
    expect(entries).toEqual([
      { type: 'gift-codes', id: batch, actor: staff.id },
      { type: 'mailing-list', id: null, actor: staff.id },
    ]);
  });

  type Check = {
    finishedAt: string | null;
    feesAndPayouts: object | null;
    sums: { kind: string; here: object; there: { cents: number } }[];
    differences: { name: string; kind: string; id: string; reference: string | null; foundAt: string }[];
  };
  /** Compares this month and returns the result. */
  async function compare(): Promise<Check> {
    const month = studioDate(server.now()).slice(0, 7);
    expect(await server.call('staff-reconcile', { month }, staff.token)).toEqual({ status: 202, body: { month } });
    await server.settle();
    const { data } = await server.client(staff.token).rpc('ledger_check', { month: `${month}-01` });
    return data as Check;
  }
  // The first comparison also runs all jobs that the tests above have left.
  it('a month agrees with the payment provider’s ledger; what differs is named, and alerted to after a day', async () => {
    const alerts = async (hours: number) => {
      const at = new Date(server.now().getTime() + hours * 3_600_000).toISOString();
      const { data } = await server.client(staff.token).rpc('staff_alerts', { at });
      return data?.filter(({ kind }) => kind === 'ledger_difference').map(({ problem }) => problem);
    };
    const paid = await rows<{ cents: number }>(
      `select paid_cents as cents from private.payment where payment_intent_id is not null`,
    );
    const received = { count: 3, cents: paid.reduce((sum, { cents }) => sum + cents, 0) };
    const given = { count: 1, cents: -1_234 };
    const agreed = await compare();
    expect(agreed).toMatchObject({
      finishedAt: expect.any(String),
      sums: [
        { kind: 'payment', here: received, there: received },
        { kind: 'refund', here: given, there: given },
        // The dispute of the test above, which was won.
        { kind: 'dispute', here: { count: 1, cents: 0 }, there: { count: 1, cents: 0 } },
      ],
      differences: [],
    });
    expect(await alerts(25)).toEqual([]);

    const existing = await rows<{ id: string; intent: string; reference: string }>(
      `select p.id, p.payment_intent_id as intent, b.reference from private.payment p join private.booking b on b.id = p.booking_id
       where p.payment_intent_id is not null order by b.start_time`,
    );
    const [first, second] = [existing[0], existing[2]];
    await db().query(`update private.payment set payment_intent_id = 'pi_elsewhere' where id = $1::uuid`, [first?.id]);
    await db().query('update private.payment set paid_cents = paid_cents + 1 where id = $1::uuid', [second?.id]);
    const [refund] = await rows<{ id: string }>('delete from private.refund returning id');
    // An entry that only one side has had for a few minutes may still be on its way to the other.
    expect((await compare()).differences.map(({ name }) => name)).toEqual(['other_amount']);
    server.advance(20 * 60_000);
    const { differences } = await compare();
    const named = differences.map(({ name, kind, id, reference }) => [name, kind, id, reference].join(' ')).toSorted();
    expect(named).toEqual(
      [
        `missing_here payment ${first?.intent} `,
        `missing_here refund ${refund?.id} `,
        `missing_there payment pi_elsewhere ${first?.reference}`,
        `other_amount payment ${second?.intent} ${second?.reference}`,
      ].toSorted(),
    );
    expect([await alerts(1), await alerts(25)]).toEqual([[], [expect.stringMatching(/^4 in \w+ \d{4}$/)]]);
    // Since then, the server itself has found the refund again.
    const foundAt = ({ differences: found }: Check) =>
      found.flatMap((difference) => (difference.kind === 'payment' ? [`${difference.id} ${difference.foundAt}`] : []));
    expect(foundAt(await compare())).toEqual(foundAt({ ...agreed, differences }));
  }, 120_000);

  it('what the provider kept in fees is beside the ledger, and the rest is paid out after two days', async () => {
    const before = await compare();
    const cents = (kind: string): number => before.sums.find((sum) => sum.kind === kind)?.there.cents ?? 0;
    const taken = await rows<{ cents: number }>(
      `select amount_cents as cents from private.payment where payment_intent_id is not null and paid_cents > 0`,
    );
    // The fees: a domestic card costs 1.7 % plus 30 cents, a dispute $25; a refund returns no fee.
    const feeCents = 2_500 + taken.reduce((sum, payment) => sum + Math.round(payment.cents * 0.017) + 30, 0);
    expect(before.feesAndPayouts).toEqual({ feeCents, payouts: [] });
    await server.sandbox('/api/clock', { advance_seconds: 3 * 86_400 });
    const payout = {
      id: expect.stringMatching(/^po_/),
      cents: cents('payment') + cents('refund') + cents('dispute') - feeCents,
      at: expect.any(String),
      arrivesAt: expect.any(String),
      returned: false,
    };
    expect((await compare()).feesAndPayouts).toEqual({ feeCents, payouts: [payout] });
    await server.sandbox('/api/clock', { now: server.now().toISOString() });
  });

  it('of a month with 250 differences the page gets the oldest 200 and how many there are', async () => {
    await db().query(`
      with made as (
        insert into private.ledger_check (month, started_by, started_at, finished_at)
        values ('2030-01-01', '00000000-0000-0000-0000-000000000000', '2030-02-01Z', '2030-02-01Z') returning id)
      insert into private.ledger_difference (check_id, kind, provider_id, name, at, found_at)
      select made.id, 'payment', 'pi_' || n, 'missing_here', timestamptz '2030-01-01Z' + n * interval '1 minute', '2030-02-01Z'
      from made, generate_series(1, 250) n`);
    const { data } = await server.client(staff.token).rpc('ledger_check', { month: '2030-01-01' });
    expect(data).toMatchObject({ differenceCount: 250 });
    const ids = (data as Check).differences.map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => `pi_${index + 1}`));
  });

  it('a month that has not begun, and one that is none, are refused', async () => {
    for (const month of ['2099-01', '2031-13', 'May'])
      expect((await server.call('staff-reconcile', { month }, staff.token)).status).toBe(400);
  });
});
