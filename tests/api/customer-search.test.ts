import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import {
  checkout,
  type Customer,
  mailsTo,
  readPayment,
  span,
  STUDIO_A,
  type TestServer,
} from '#tests/support/test-server.ts';

describe.each(engines)('the search of customers on $name', ({ open }) => {
  let server: TestServer;
  let staff: Customer;
  let zoe: Customer;
  beforeAll(async () => {
    server = await open();
    [staff, zoe] = [await server.addCustomer(), await server.addCustomer()];
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [staff.id]);
    await server.app.db.query(
      `update public.profiles set full_name = 'Zoë 100%_Quartz', phone = '+61477123987' where user_id = $1::uuid`,
      [zoe.id],
    );
    // The change of name has ended the verification.
    await server.app.db.query(
      `update public.id_verifications set verification_status = 'verified' where user_id = $1::uuid`,
      [zoe.id],
    );
  }, 180_000);
  afterAll(() => server.close());

  const search = async (words: string, most?: number) => {
    const { data, error } = await server.client(staff.token).rpc('search_customers', { words, most: most ?? 50 });
    expect(error).toBeNull();
    return data ?? [];
  };
  const finds = async (words: string): Promise<boolean> =>
    (await search(words)).some((customer) => customer.user_id === zoe.id);

  it('every word may be a part of the name, the address or the phone number, also as it is dialled in Australia', async () => {
    const [local = ''] = zoe.email.split('@');
    for (const words of [
      'ZOË',
      'quartz',
      `quartz ${local.slice(0, 6)}`,
      '0477123987',
      '0477 123 987',
      '+61477',
      '100%_',
    ])
      expect([words, await finds(words)]).toEqual([words, true]);
    for (const words of ['quartz nobody', '0478123987', '100_Q', '%uartz'])
      expect([words, await finds(words)]).toEqual([words, false]);
  });

  it('without words the newest customers come first, at most as many as asked for', async () => {
    expect((await search('', 1)).map((customer) => customer.user_id)).toEqual([zoe.id]);
    expect((await search('', 2)).map((customer) => customer.user_id)).toEqual([zoe.id, staff.id]);
  });

  it('a customer has the bookings, the money paid and refunded, the ID and the block', async () => {
    const held = await server.call('create-payment', checkout(span(server.now(), 50, 2)), zoe.token);
    const { id, amount_total: cents } = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: id }, zoe.token);
    const until = new Date(server.now().getTime() + 86_400_000).toISOString();
    await server.call('staff-block-customer', { userId: zoe.id, reason: 'Noise', until }, staff.token);
    const [found] = await search('quartz');
    expect(found).toMatchObject({ bookings: 1, paid: cents / 100, refunded: 0, block_reason: 'Noise' });
    expect(new Date(found?.blocked_until ?? '').toISOString()).toBe(until);
    expect(Date.parse(found?.verified_until ?? '')).toBeGreaterThan(server.now().getTime());
    await server.call('staff-unblock-customer', { userId: zoe.id }, staff.token);
    expect((await search('quartz'))[0]).toMatchObject({ block_reason: null, blocked_until: null });
  });

  it('bookings without an account are found by every word of name, address and phone number, the latest hours first, and bookings with one are not', async () => {
    const created: unknown[] = [];
    for (const days of [30, 31]) {
      const { startTime, endTime } = span(server.now(), days * 24, 1);
      const guest = {
        customerName: 'Ágnes Phonecall',
        customerEmail: 'agnes@example.com',
        customerPhone: '0466 555 444',
      };
      const request = {
        studioId: STUDIO_A,
        startTime,
        endTime,
        ...guest,
        payment: 'free',
        notes: null,
        requestId: randomUUID(),
      };
      created.push((await server.call('staff-create-booking', request, staff.token)).body['reference']);
    }
    const guests = async (words: string, most = 50) => {
      const { data, error } = await server.client(staff.token).rpc('search_guest_bookings', { words, most });
      expect(error).toBeNull();
      return data?.map(({ reference }) => reference);
    };
    const latestFirst = created.toReversed();
    for (const words of ['ágnes', 'phonecall AGNES@', '0466555444', 'example.com 466555'])
      expect([words, await guests(words)]).toEqual([words, latestFirst]);
    expect(await guests('phonecall', 1)).toEqual([created[1]]);
    for (const words of ['', ' ', 'phonecall nobody', 'quartz', zoe.email]) expect(await guests(words)).toEqual([]);
    const upcoming = await server.client(staff.token).rpc('upcoming_bookings', { most: 1000 });
    expect(upcoming.data?.find(({ reference }) => reference === created[0])).toMatchObject({
      guest_name: 'Ágnes Phonecall',
      guest_email: 'agnes@example.com',
      contact_phone: '+61466555444',
    });
  });

  it('customers, guests and staff without the permission cannot search', async () => {
    const colleague = await server.addCustomer();
    await server.call('staff-set-permissions', { userId: colleague.id, permissions: ['money'] }, staff.token);
    for (const token of [zoe.token, colleague.token, undefined])
      for (const name of ['search_customers', 'search_guest_bookings'] as const)
        expect((await server.client(token).rpc(name, { words: '' })).error?.code).toBe('42501');
  });

  it('a word with an @ is the beginning of an address, and any part of one when no address begins so', async () => {
    const other = await server.addCustomer();
    const end = `${zoe.email.split('@')[0]?.slice(4)}@`;
    const found = async (words: string) => (await search(words)).map((customer) => customer.user_id);
    expect(await found(` ${end.toUpperCase()} `)).toEqual([zoe.id]);
    await server.app.db.query('update auth.users set email = $2 where id = $1::uuid', [other.id, `${end}example.org`]);
    expect(await found(end)).toEqual([other.id]);
    expect(await found(zoe.email)).toEqual([zoe.id]);
    expect([await found(`${zoe.email} quartz`), await found(`%${end}`), await found('@example.org')]).toEqual([
      [zoe.id],
      [],
      [other.id],
    ]);
  });

  it('notes are added once, stay, and are read by staff only', async () => {
    const note_id = randomUUID();
    const add = (note: string, who = staff, customer = zoe.id) =>
      server.client(who.token).rpc('add_customer_note', { note_id, customer, note });
    expect((await add(' Left a bag.\n')).data).toBe(true);
    expect((await add('Left a bag.')).data).toBe(true);
    expect((await add('x', staff, randomUUID())).data).toBe(false);
    const { data } = await server.client(staff.token).rpc('customer_notes', { customer: zoe.id });
    expect(data).toEqual([
      { id: note_id, note: 'Left a bag.', made_by: 'Alex Citizen', created_at: expect.any(String) },
    ]);
    expect((await add('x', zoe)).error?.code).toBe('42501');
    for (const name of ['customer_notes', 'customer_messages'] as const)
      expect((await server.client(zoe.token).rpc(name, { customer: zoe.id })).error?.code).toBe('42501');
    const { rows } = await server.app.db.query(
      `select actor, details from public.audit_logs where resource_type = 'customer_note' and resource_id = $1`,
      [zoe.id],
    );
    expect(rows).toEqual([{ actor: staff.id, details: { after: 'Left a bag.' } }]);
  });

  it('a mail that staff write arrives once with the address for answers, and is among the mails to the customer', async () => {
    const mail = { messageId: randomUUID(), userId: zoe.id, subject: 'Your bag', body: 'We found it.' };
    const write = (more: Record<string, unknown> = {}) =>
      server.call('staff-write-customer', { ...mail, ...more }, staff.token);
    expect([(await write()).status, (await write()).status]).toEqual([202, 202]);
    expect((await write({ body: 'Other' })).status).toBe(409);
    expect((await write({ messageId: randomUUID(), userId: randomUUID() })).status).toBe(404);
    await server.settle();
    const [sent, ...more] = await mailsTo(server, zoe.email, 'Your bag');
    expect([sent?.text.includes('We found it.'), more.length]).toEqual([true, 0]);
    expect(Object(sent).headers['reply-to']).toBe('hello@example.com');
    // The emails about a booking, and one to an address that the mail server refuses.
    const held = await server.call('create-payment', checkout(span(server.now(), 90)), zoe.token);
    expect(held.status).toBe(200);
    const { id } = await readPayment(server, held.body['bookingId']);
    await server.sandbox(`/api/payments/${id}`, { outcome: 'paid' });
    await server.call('verify-payment', { sessionId: id }, zoe.token);
    await server.app.db.query(`update auth.users set email = 'zoe@refused.example' where id = $1::uuid`, [zoe.id]);
    expect((await write({ messageId: randomUUID(), subject: 'Again' })).status).toBe(202);
    await server.settle();
    const { data } = await server.client(staff.token).rpc('customer_messages', { customer: zoe.id });
    const about = (subject: string | null, kind: string) =>
      data?.find((message) => message.subject === subject && message.kind === kind);
    expect(about('Your bag', 'mail.customer')).toMatchObject({
      body: 'We found it.',
      made_by: 'Alex Citizen',
      sent_at: expect.any(String),
      problem: null,
      closed: false,
    });
    expect(about('Again', 'mail.customer')).toMatchObject({
      sent_at: null,
      problem: 'The mail server refused the address.',
      closed: true,
    });
    expect(about(null, 'mail.booking-confirmed')?.reference).toBe(held.body['reference']);
  });
});
