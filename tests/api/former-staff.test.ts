import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import { engines, oneEngine } from '#tests/support/engines.ts';
import { type Customer, mailsTo, STUDIO_A, STUDIO_B, type TestServer } from '#tests/support/test-server.ts';

/**
 * Every function whose code reaches a secret, and the kind of secret that its caller learns. `staff`: a secret that ends when its owner
 * loses the permission; each has a case below. `own`: a secret that belongs to the caller, or to the holder of the presented link. `none`:
 * the secret goes to an email, a lock or the hash that identifies it, and is not in the answer. A new function that reaches a secret fails
 * the test until it is listed here.
 */
const SECRETS: Readonly<Record<string, 'staff' | 'own' | 'none'>> = {
  'accept-staff-invitation': 'none',
  'booking-document': 'none',
  'calendar-feed': 'none',
  'crew-code': 'own',
  'crew-join': 'own',
  'crew-page': 'own',
  'door-help': 'own',
  'generate-access-code': 'own',
  'regenerate-pin': 'staff',
  'session-lights': 'own',
  'session-room': 'own',
  'staff-access-code': 'staff',
  'staff-access-codes': 'none',
  'staff-calendar-feed': 'staff',
  // The link is emailed to the address that was invited.
  'staff-invite': 'staff',
  'staff-mail-document': 'none',
  'staff-resend-invitation': 'none',
  'staff-revoke-code': 'none',
  'staff-revoke-invitation': 'none',
  'test-igloohome-pin': 'staff',
  'wallet-file': 'own',
  'wallet-pass': 'own',
  'wallet-service': 'own',
};
const STAFF_SECRETS = Object.keys(SECRETS).filter((name) => SECRETS[name] === 'staff');

/** Matches modules that turn stored data into a secret, or create one. */
const SOURCE = /\bdecrypt\(|\.sign\(|\.issueCode\(/;

/** Returns the modules of functions and operations that a module imports, directly or indirectly. */
function reached(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/from '([^']+\.ts)'/g)) {
    const path = target.startsWith('#server/') ? target.replace('#', '') : join(dirname(file), target);
    if (target.startsWith('#server/') || target.startsWith('.'))
      if (/^server\/(functions|operations)\//.test(path)) reached(path, seen);
  }
  return seen;
}

/** The file of each function, by its name. `wallet-service` has its own addresses, so it has no contract. */
const NAMES: ReadonlySet<string> = new Set([...Object.values(contracts).map(({ name }) => name), 'wallet-service']);
const FILES: ReadonlyMap<string, string> = new Map(
  globSync('server/functions/*/*.ts').flatMap((path): [string, string][] => {
    const name = basename(path, '.ts');
    return NAMES.has(name) ? [[name, path]] : [];
  }),
);

test('each function whose code reaches a secret says who learns it', () => {
  const found = [...FILES].filter(([, path]) =>
    [...reached(path)].some((file) => SOURCE.test(readFileSync(file, 'utf8'))),
  );
  expect(found.map(([name]) => name).toSorted()).toEqual(Object.keys(SECRETS).toSorted());
});

test('each function that shows staff a secret records it, or its row has an end of its own', () => {
  // A trigger ends an invitation when its creator loses the permission.
  for (const name of STAFF_SECRETS.filter((secret) => secret !== 'staff-invite'))
    expect([...reached(FILES.get(name) ?? '')]).toContain('server/operations/core/shown-secrets.ts');
});

const HOUR = 3_600_000;
const STUDIO_C = '5a000000-0000-4000-8000-00000000000c';
/** The keypad's answer to a code that the lock does not have. */
const DEAD = { opened: false, reason: 'wrong code' };
/** The ways in which an account loses its permissions. */
const CAUSES = ['staff-remove', 'staff-set-permissions', 'a ban', 'the end of the account'] as const;

/** Opens a server with an owner, and helpers for staff and doors. */
async function openStudio(open: (env?: Record<string, string>) => Promise<TestServer>, env: Record<string, string>) {
  const server = await open(env);
  await server.sandbox('/api/doors/bridge', { job_ms: 1 });
  const { db, keys } = server.app;
  const addStaff = async (...permissions: string[]): Promise<Customer> => {
    const person = await server.addCustomer();
    await server.call('staff-set-permissions', { userId: person.id, permissions }, keys.serviceRoleKey);
    return person;
  };
  const owner = await addStaff('owner');
  /** Returns the lock that has a staff code, or the codes of a booking. */
  const readLock = async (id: unknown): Promise<string> =>
    (
      await db.queryRow<{ lock: string }>(
        `select lock_id as lock from private.staff_code where id = $1::uuid
         union select x.lock_id from public.booking_access_codes c join private.access_secret x on x.code_id = c.id where c.booking_id = $1::uuid`,
        [id],
      )
    )?.lock ?? '';
  const enter = (lock: string, pin: unknown): Promise<unknown> => server.sandbox(`/api/doors/${lock}/keypad`, { pin });
  const changeAccount = async (person: Customer, method: 'PUT' | 'DELETE', body?: object): Promise<number> => {
    const answer = await fetch(`${server.url}/auth/v1/admin/users/${person.id}`, {
      method,
      headers: { authorization: `Bearer ${keys.serviceRoleKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answer.status;
  };
  const lose = async (person: Customer, cause: (typeof CAUSES)[number]): Promise<void> => {
    if (cause === 'staff-remove')
      expect(await server.call(cause, { userId: person.id }, keys.serviceRoleKey)).toMatchObject({ status: 200 });
    else if (cause === 'staff-set-permissions')
      await server.call(cause, { userId: person.id, permissions: ['identity'] }, keys.serviceRoleKey);
    else if (cause === 'a ban') expect(await changeAccount(person, 'PUT', { ban_duration: '24h' })).toBe(200);
    else {
      // A staff account can be deleted only after the person is removed from staff.
      expect(await changeAccount(person, 'DELETE')).toBe(409);
      expect(await server.call('staff-remove', { userId: person.id }, keys.serviceRoleKey)).toMatchObject({
        status: 200,
      });
      expect(await changeAccount(person, 'DELETE')).toBe(200);
    }
    await server.settle();
    await server.settle();
  };
  const listed = async (): Promise<Record<string, unknown>[]> => {
    const { data } = await server.client(keys.serviceRoleKey).rpc('staff_team', { at: server.now().toISOString() });
    return (data as { secrets: Record<string, unknown>[] }).secrets;
  };
  /** Creates a staff code for the current hour and the next `hours`. */
  const makeCode = (person: Customer, name: string, hours = 2, studio = STUDIO_C) => {
    const start = Math.floor(server.now().getTime() / HOUR) * HOUR;
    const [startTime, endTime] = [new Date(start), new Date(start + hours * HOUR)];
    return server.call('staff-access-code', { studioId: studio, startTime, endTime, name }, person.token);
  };
  /** Adds a confirmed booking that begins soon, whose customer has received the code by email. */
  async function addSession(studio: string): Promise<{ id: string; customer: Customer }> {
    const customer = await server.addCustomer();
    // The code works from five minutes before the start.
    const start = server.now().getTime() + 3 * 60_000;
    const created = await db.queryRow<{ id: string }>(
      `insert into private.booking (reference, user_id, studio_id, studio_name, start_time, end_time, hold_expires_at, total_hours, base_cost_cents, final_cost_cents, created_at)
       values (private.new_reference(), $1::uuid, $2::uuid, 'Studio', $3::timestamptz, $4::timestamptz, $3::timestamptz, 1, 0, 0, $5::timestamptz) returning id`,
      [customer.id, studio, new Date(start), new Date(start + HOUR), server.now()],
    );
    const id = created?.id ?? '';
    await db.transaction(async (tx) => {
      await tx.query(
        `insert into private.payment (booking_id, attempt, kind, key, amount_cents, paid_cents, state, paid_at)
         values ($1::uuid, 1, 'free', 'free:' || $1, 0, 0, 'paid', $2::timestamptz)`,
        [id, server.now()],
      );
      await tx.query(`update private.booking set status = 'confirmed' where id = $1::uuid`, [id]);
      await tx.query(
        `insert into public.scheduled_emails (booking_id, recipient_email, email_type, status, scheduled_for) values ($1::uuid, '', 'access_code', 'pending_immediate', $2::timestamptz)`,
        [id, server.now()],
      );
    });
    return { id, customer };
  }
  const showPin = async (bookingId: string, token: string): Promise<unknown> => {
    const answer = await fetch(`${server.url}/functions/v1/regenerate-pin?booking_id=${bookingId}`, {
      headers: { authorization: `Bearer ${token}`, apikey: keys.anonKey },
    });
    return Object(await answer.json()).pin;
  };
  const endSessions = () =>
    db.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff' where status = 'confirmed'`);
  return {
    server,
    db,
    addStaff,
    owner,
    readLock,
    enter,
    lose,
    listed,
    makeCode,
    addSession,
    showPin,
    endSessions,
  };
}
type Studio = Awaited<ReturnType<typeof openStudio>>;

/** Each case shows a person the secret of a function, and returns a check that the secret no longer opens anything. */
const CASES: Readonly<Record<string, (studio: Studio, person: Customer) => Promise<() => Promise<void>>>> = {
  async 'staff-access-code'({ makeCode, readLock, enter }, person) {
    const created = await makeCode(person, `Plumber ${person.id.slice(0, 8)}`);
    expect(created).toMatchObject({ status: 200 });
    const lock = await readLock(created.body['codeId']);
    return async () => expect(await enter(lock, created.body['pin'])).toMatchObject(DEAD);
  },
  async 'test-igloohome-pin'({ server, enter }, person) {
    const created = await server.call('test-igloohome-pin', {}, person.token);
    const { pin, deviceId } = Object(created.body['pinData']);
    expect(pin).toMatch(/^\d+$/);
    return async () => expect(await enter(String(deviceId), pin)).toMatchObject(DEAD);
  },
  async 'staff-calendar-feed'({ server }, person) {
    const { body } = await server.call('staff-calendar-feed', { studioId: STUDIO_A, action: 'create' }, person.token);
    const read = async (): Promise<number> => (await fetch(String(body['url']))).status;
    expect(await read()).toBe(200);
    return async () => expect(await read()).toBe(404);
  },
  async 'regenerate-pin'({ server, addSession, showPin, readLock, enter, endSessions }, person) {
    const { id, customer } = await addSession(STUDIO_B);
    await expect.poll(() => showPin(id, person.token), { timeout: 20_000 }).toMatch(/^\d+$/);
    const pin = await showPin(id, person.token);
    const codeMails = async () => {
      await server.settle();
      return mailsTo(server, customer.email, 'access code');
    };
    await expect.poll(async () => (await codeMails()).length, { timeout: 20_000 }).toBe(1);
    const lock = await readLock(id);
    return async () => {
      expect(await enter(lock, pin)).toMatchObject(DEAD);
      const fresh = await showPin(id, customer.token);
      expect(fresh).not.toBe(pin);
      await expect.poll(async () => (await codeMails()).length, { timeout: 20_000 }).toBe(2);
      expect((await codeMails()).some(({ text }) => text.includes(`PIN: ${String(fresh)}`))).toBe(true);
      expect(await enter(lock, fresh)).toMatchObject({ opened: true });
      await endSessions();
      await server.settle();
    };
  },
  async 'staff-invite'({ server }, person) {
    const invited = await server.addCustomer();
    await server.call('staff-invite', { email: invited.email, permissions: ['owner'] }, person.token);
    await server.settle();
    const [mail] = await mailsTo(server, invited.email, 'Join the staff');
    const token = /staff-invitation#(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
    return async () =>
      expect(await server.call('accept-staff-invitation', { token }, invited.token)).toMatchObject({
        status: 410,
        body: { error: { code: 'invitation_ended' } },
      });
  },
};

test('each secret that staff are shown has a case', () => {
  expect(Object.keys(CASES).toSorted()).toEqual(STAFF_SECRETS.toSorted());
});

describe.each(engines)('people who lose a permission on $name', ({ open }) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await openStudio(open, {});
  }, 180_000);
  afterAll(() => studio.server.close());

  describe.each(CAUSES)('by %s', (cause) => {
    it.each(STAFF_SECRETS)(
      'the secret that %s showed them opens nothing any more, and owners see what became of it',
      async (name) => {
        const person = await studio.addStaff('owner');
        const before = (await studio.listed()).length;
        const isDead = await CASES[name]?.(studio, person);
        await studio.lose(person, cause);
        await isDead?.();
        if (name !== 'staff-invite') {
          const after = await studio.listed();
          expect(after.length).toBe(before + 1);
          expect(after.every(({ state }) => state === 'ended')).toBe(true);
        }
      },
    );
  });

  it('what colleagues made stays, and so does what was seen under a permission that is kept', async () => {
    const [leaving, staying] = [await studio.addStaff('bookings'), await studio.addStaff('bookings', 'money')];
    const created = await studio.makeCode(staying, 'Cleaner');
    await studio.lose(leaving, 'staff-remove');
    await studio.server.call(
      'staff-set-permissions',
      { userId: staying.id, permissions: ['bookings'] },
      studio.owner.token,
    );
    await studio.server.settle();
    expect(await studio.enter(await studio.readLock(created.body['codeId']), created.body['pin'])).toMatchObject({
      opened: true,
    });
  });

  it('a lock that does not answer is asked again, and until then the code is listed with its end', async () => {
    const person = await studio.addStaff('bookings');
    const created = await studio.makeCode(person, 'Electrician');
    await studio.server.sandbox('/api/faults', { provider: 'igloohome', kind: 'status', status: 503, seconds: 86_400 });
    await studio.lose(person, 'staff-remove');
    const mine = async () => (await studio.listed()).filter(({ about }) => about === 'Electrician');
    expect(await mine()).toMatchObject([{ kind: 'staff-code', state: 'ending', studioName: 'Studio C' }]);
    await fetch(`${studio.server.sandboxUrl}/api/faults`, { method: 'DELETE' });
    await expect
      .poll(
        async () => {
          studio.server.advance(60_000);
          await studio.server.settle();
          return (await mine())[0]?.['state'];
        },
        { timeout: 30_000 },
      )
      .toBe('ended');
    expect(await studio.enter(await studio.readLock(created.body['codeId']), created.body['pin'])).toMatchObject(DEAD);
  });
});

describe.each(oneEngine)('a lock that cannot remove a code, on $name', ({ open }) => {
  let studio: Studio;
  beforeAll(async () => {
    studio = await openStudio(open, { IGLOOHOME_MODE: 'hourly' });
  }, 180_000);
  afterAll(() => studio.server.close());

  it('a code of staff works for at most 24 hours; after the removal it is listed to owners with its end, until then', async () => {
    const person = await studio.addStaff('bookings');
    expect(await studio.makeCode(person, 'Builder', 25)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', message: expect.stringContaining('at most 24 hours') } },
    });
    expect(await studio.makeCode(person, 'Builder', 24)).toMatchObject({ status: 200 });
    const end = new Date(Math.floor(studio.server.now().getTime() / HOUR) * HOUR + 24 * HOUR);
    expect(await studio.listed()).toEqual([]);
    await studio.lose(person, 'staff-remove');
    const [secret, ...more] = await studio.listed();
    expect(more).toEqual([]);
    expect(secret).toMatchObject({ kind: 'staff-code', about: 'Builder', studioName: 'Studio C', state: 'stays' });
    expect(new Date(String(secret?.['endsAt']))).toEqual(end);
    studio.server.advance(25 * HOUR);
    expect(await studio.listed()).toEqual([]);
  });
});
