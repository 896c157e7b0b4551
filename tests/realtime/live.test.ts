import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engines } from '#tests/support/engines.ts';
import { checkout, span, STUDIO_A, type TestServer } from '#tests/support/test-server.ts';
import { connectRealtime, type RealtimeClient } from './client.ts';

describe.each(engines)('events for pages on the $name database', (engine) => {
  let server: TestServer;
  const clients: RealtimeClient[] = [];
  beforeAll(async () => {
    server = await engine.open();
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await server.close();
  });

  /** Joins a channel with text frames. Returns the status of the reply, and the client, which collects what it receives. */
  async function join(name: string, isPrivate: boolean, token?: string): Promise<[string, RealtimeClient]> {
    const client = await connectRealtime(server.url, server.app.keys.anonKey, '1.0.0');
    clients.push(client);
    const reply = await client.join(name, { private: isPrivate }, token);
    return [String(reply.payload['status']), client];
  }

  test('hours that are held and released reach everybody with studio, start, end and status alone', async () => {
    const customer = await server.addCustomer();
    const [, guest] = await join(`studio:${STUDIO_A}`, false);
    const time = span(server.now(), 30, 2);
    const held = await server.call('create-payment', checkout(time), customer.token);
    const hours = { studio_id: STUDIO_A, start_time: expect.any(String), end_time: expect.any(String) };
    await expect
      .poll(() => getMessages(guest, 'hours'))
      .toEqual([{ ...hours, status: 'pending', id: expect.any(String) }]);
    const started = getMessages(guest, 'hours')[0]?.['start_time'];
    expect(Date.parse(String(started))).toBe(Date.parse(time.startTime));
    await server.call('release-hold', { bookingId: held.body['bookingId'] }, customer.token);
    await expect.poll(() => getMessages(guest, 'hours').map(({ status }) => status)).toEqual(['pending', 'cancelled']);
  });

  test('an account receives events of its own bookings and payments, and nobody else can listen', async () => {
    const [owner, other] = [await server.addCustomer(), await server.addCustomer()];
    const topic = `user:${owner.id}`;
    const [mine, channel] = await join(topic, true, owner.token);
    const [theirs] = await join(topic, true, other.token);
    const [guests] = await join(topic, true);
    expect([mine, theirs, guests]).toEqual(['ok', 'error', 'error']);
    const held = await server.call('create-payment', checkout(span(server.now(), 40, 1)), owner.token);
    await expect
      .poll(() => getMessages(channel, 'booking'))
      .toEqual([{ booking_id: held.body['bookingId'], status: 'pending', id: expect.any(String) }]);
    await expect.poll(() => getMessages(channel, 'payment').length).toBeGreaterThan(0);
  });

  test('only staff may listen to all bookings', async () => {
    const customer = await server.addCustomer();
    expect((await join('staff', true, customer.token))[0]).toBe('error');
    await server.app.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [
      customer.id,
    ]);
    expect((await join('staff', true, customer.token))[0]).toBe('ok');
  });

  test('nobody can send in the name of the server', async () => {
    const owner = await server.addCustomer();
    const sender = server.client(owner.token).channel(`user:${owner.id}`, { config: { private: true } });
    const answer = await sender.httpSend('booking', { booking_id: 'made up' }).catch((error: unknown) => error);
    expect(answer).not.toMatchObject({ success: true });
  });
});

/** Returns the payloads of one event's broadcasts. */
const getMessages = (client: RealtimeClient, event: string): Record<string, unknown>[] =>
  client.frames.flatMap((frame) =>
    frame.event === 'broadcast' && frame.payload['event'] === event ? [Object(frame.payload['payload'])] : [],
  );
