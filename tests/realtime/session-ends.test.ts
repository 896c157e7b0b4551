import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { startTestServer } from '#tests/support/test-server.ts';
import { connect, type Connection, collect } from './channels.ts';
import { startCluster } from './cluster.ts';

/** The process that has the socket, and the one at which the person signs out: the same, or two on one PostgreSQL. */
type Place = {
  readonly socket: Connection;
  readonly acting: Connection;
  readonly serviceRoleKey: string;
  readonly db: Database;
  sign(claims: Record<string, unknown>, seconds: number): string;
  close(): Promise<void>;
};
/** Disables heartbeats, at which the server also checks sessions. Without them, only the notification of the database can end a channel. */
const WITHOUT_HEARTBEATS = { heartbeatIntervalMs: 3_600_000 };
const PASSWORD = 'correct horse battery 9';
const places: readonly { name: string; open: () => Promise<Place> }[] = [
  {
    name: 'in the same process',
    async open() {
      const server = await startTestServer();
      const { keys, db } = server.app;
      const here = { url: server.url, anonKey: keys.anonKey };
      return {
        socket: here,
        acting: here,
        serviceRoleKey: keys.serviceRoleKey,
        db,
        sign: (claims, seconds) => keys.sign(claims, seconds, new Date()),
        close: server.close,
      };
    },
  },
  ...(process.env['TEST_POSTGRES_URL'] ? [{ name: 'in another process', open: openTwo }] : []),
];

async function openTwo(): Promise<Place> {
  const cluster = await startCluster(2, { AUTH_MAIL_MIN_SECONDS: '1' });
  return {
    socket: cluster.at(0),
    acting: cluster.at(1),
    serviceRoleKey: cluster.serviceRoleKey,
    db: cluster.db,
    sign: (claims, seconds) => cluster.keys.sign(claims, seconds, new Date()),
    close: cluster.close,
  };
}

describe.each(places)('what ends a session $name', ({ open }) => {
  let place: Place;
  const clients: SupabaseClient[] = [];
  beforeAll(async () => {
    place = await open();
    await place.db.query(
      `create policy own_channel on realtime.messages for all to authenticated
       using (realtime.topic() = 'own:' || (select auth.uid())) with check (realtime.topic() = 'own:' || (select auth.uid()))`,
    );
  }, 120_000);
  afterAll(() => place.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.removeAllChannels();
  });

  const options = { auth: { persistSession: false, autoRefreshToken: false } };
  const admin = (): SupabaseClient => createClient(place.acting.url, place.serviceRoleKey, options);

  type Person = { id: string; email: string; session: SupabaseClient; token: string };
  /** Returns an account that is signed in at the acting process. */
  async function signIn(): Promise<Person> {
    const email = `${randomUUID().slice(0, 13)}@example.com`;
    const { data, error } = await admin().auth.admin.createUser({ email, password: PASSWORD, email_confirm: true });
    if (error) throw error;
    const session = createClient(place.acting.url, place.acting.anonKey, options);
    const signedIn = await session.auth.signInWithPassword({ email, password: PASSWORD });
    return { id: data.user.id, email, session, token: signedIn.data.session?.access_token ?? '' };
  }

  /**
   * Opens a private channel of this person at the process with the socket. `ended` resolves with the message and the status that end it.
   */
  async function listen({ id, token }: Pick<Person, 'id' | 'token'>, name = `own:${id}`) {
    const client = await connect(place.socket, token, WITHOUT_HEARTBEATS);
    clients.push(client);
    const channel = client.channel(name, { config: { private: true } });
    const statuses: string[] = [];
    const notice = new Promise<string>((resolve) => channel.on('system', {}, ({ message }) => resolve(message)));
    const got = collect(channel, 'hello');
    const joined = new Promise<void>((resolve) =>
      channel.subscribe((status) => {
        statuses.push(status);
        resolve();
      }),
    );
    await joined;
    expect(statuses).toEqual(['SUBSCRIBED']);
    const ended = (async () => {
      const message = await notice;
      await expect.poll(() => statuses.length).toBeGreaterThan(1);
      return { message, status: statuses[1] };
    })();
    return { client, channel, ended, got };
  }

  const END = { message: 'The session of this token has ended', status: 'CLOSED' };

  test('a sign-out ends its channels, and those of the other device stay', async () => {
    const person = await signIn();
    const here = await listen(person);
    const second = createClient(place.acting.url, place.acting.anonKey, options);
    const { data } = await second.auth.signInWithPassword({ email: person.email, password: PASSWORD });
    const device = await listen({ id: person.id, token: data.session?.access_token ?? '' });
    await person.session.auth.signOut({ scope: 'local' });
    expect(await here.ended).toEqual(END);
    await place.db.query(`select realtime.send('{"n": 1}', 'hello', $1, true)`, [`own:${person.id}`]);
    await expect.poll(() => device.got).toEqual([{ n: 1, id: expect.any(String) }]);
    expect(here.got).toEqual([]);
  });

  test('a sign-out everywhere ends all channels of the account on all devices, and no other', async () => {
    const person = await signIn();
    await place.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person.id]);
    const second = createClient(place.acting.url, place.acting.anonKey, options);
    const { data } = await second.auth.signInWithPassword({ email: person.email, password: PASSWORD });
    const device = { id: person.id, token: data.session?.access_token ?? '' };
    const channels = [
      await listen(person),
      await listen(person, 'staff'),
      await listen(device),
      await listen(device, 'staff'),
    ];
    const stranger = await listen(await signIn());
    const all = Promise.all(channels.map(({ ended }) => ended));
    await person.session.auth.signOut({ scope: 'global' });
    expect(await all).toEqual(channels.map(() => END));
    expect(stranger.channel.state).toBe('joined');
  });

  test('a ban ends the channels of the account', async () => {
    const person = await signIn();
    const { ended } = await listen(person);
    await admin().auth.admin.updateUserById(person.id, { ban_duration: '24h' });
    expect(await ended).toEqual(END);
  });

  test('a deleted account loses its channels', async () => {
    const person = await signIn();
    const { ended } = await listen(person);
    await admin().auth.admin.deleteUser(person.id);
    expect(await ended).toEqual(END);
  });

  test('a changed password ends the channels of the other devices, and not those of its own', async () => {
    const person = await signIn();
    const second = createClient(place.acting.url, place.acting.anonKey, options);
    const { data } = await second.auth.signInWithPassword({ email: person.email, password: PASSWORD });
    const device = await listen({ id: person.id, token: data.session?.access_token ?? '' });
    const here = await listen(person);
    const { error } = await person.session.auth.updateUser({ password: 'another horse battery 8' });
    expect(error).toBeNull();
    expect(await device.ended).toEqual(END);
    await place.db.query(`select realtime.send('{"n": 3}', 'hello', $1, true)`, [`own:${person.id}`]);
    await expect.poll(() => here.got.length).toBe(1);
  });

  test('a lost role ends the channels that need it, and only those', async () => {
    const person = await signIn();
    await place.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person.id]);
    const [staff, own] = [await listen(person, 'staff'), await listen(person)];
    await place.db.query(`delete from public.user_roles where user_id = $1::uuid`, [person.id]);
    expect(await staff.ended).toEqual({
      message: 'You no longer have permission to read from this Channel topic: staff',
      status: 'CLOSED',
    });
    await place.db.query(`select realtime.send('{"n": 2}', 'hello', $1, true)`, [`own:${person.id}`]);
    await expect.poll(() => own.got.length).toBe(1);
  });

  test('a token with another role ends the channels that the new role may not read', async () => {
    const person = await signIn();
    const { client, ended } = await listen(person);
    await client.realtime.setAuth(place.sign({ role: 'anon' }, 3_600));
    expect(await ended).toMatchObject({
      message: `You no longer have permission to read from this Channel topic: own:${person.id}`,
    });
  });

  test('an expired token ends a channel, which comes back by itself with the new token', async () => {
    const id = randomUUID();
    let token = place.sign({ sub: id, role: 'authenticated' }, 2);
    const client = await connect(place.socket, () => token);
    clients.push(client);
    const channel = client.channel(`own:${id}`, { config: { private: true } });
    const got = collect(channel, 'hello');
    const statuses: string[] = [];
    channel.subscribe((status) => {
      statuses.push(status);
      if (status === 'CHANNEL_ERROR') token = place.sign({ sub: id, role: 'authenticated' }, 3_600);
      // The application's session store renews its token. The client requests the new token at the next heartbeat, or here.
      if (status === 'CHANNEL_ERROR') void client.realtime.setAuth();
    });
    await expect.poll(() => statuses, { timeout: 20_000 }).toEqual(['SUBSCRIBED', 'CHANNEL_ERROR', 'SUBSCRIBED']);
    await place.db.query(`select realtime.send('{"n": 3}', 'hello', $1, true)`, [`own:${id}`]);
    await expect.poll(() => got).toEqual([{ n: 3, id: expect.any(String) }]);
  });

  test('a sign-out right after the rights of the same account have changed ends its channel', async () => {
    for (const pause of [100, 300, 500]) {
      const person = await signIn();
      await place.db.query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person.id]);
      await setTimeout(pause);
      const { ended } = await listen(person);
      await person.session.auth.signOut({ scope: 'local' });
      expect(await ended).toEqual(END);
    }
  });

  test('a session that ends while its channel joins does not outlive the join', async () => {
    const person = await signIn();
    const client = await connect(place.socket, person.token);
    clients.push(client);
    const channels = Array.from({ length: 20 }, (_, index) => client.channel(`public-${index}`));
    const statuses = channels.map((channel) => {
      const list: string[] = [];
      channel.subscribe((status) => void list.push(status));
      return list;
    });
    await person.session.auth.signOut({ scope: 'local' });
    for (const list of statuses) await expect.poll(() => list.at(-1)).toMatch(/^(?:CLOSED|CHANNEL_ERROR)$/);
  });
});
