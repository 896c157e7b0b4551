import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import { PERMISSIONS, type Permission } from '#rules/permissions.ts';
import { CALLS } from '#tests/attacks/function-calls.ts';
import { engines } from '#tests/support/engines.ts';
import type { Customer } from '#tests/support/test-server.ts';
import { askCell, type Populated, populate } from './fixture.ts';
import { expectedOutcome, type Outcome, type Principal, VERBS } from './matrix.ts';

/**
 * Runs the policy matrix again for sessions of staff that have fewer rights than an owner. Without a required second factor they have a
 * customer's rights everywhere, and with a single permission the rights of that permission.
 */

/**
 * The permission that staff need to see and write the rows of others. `none` means that no permission suffices, and `any` that all staff
 * may.
 */
const NEEDS: Readonly<Record<string, Permission | 'any' | 'none'>> = {
  audit_logs: 'owner',
  booking_access_codes: 'bookings',
  booking_drafts: 'none',
  booking_payments: 'any',
  bookings: 'any',
  business_settings: 'settings',
  closed_hours: 'none',
  current_price_lists: 'none',
  customer_contacts: 'bookings',
  customer_identities: 'identity',
  discount_codes: 'settings',
  id_verifications: 'identity',
  mailing_list: 'none',
  price_lists: 'none',
  profiles: 'none',
  scheduled_emails: 'bookings',
  special_days: 'none',
  staff_names: 'any',
  staff_permissions: 'owner',
  studios: 'none',
  terms_acceptances: 'any',
  user_roles: 'none',
  user_verifications: 'identity',
  waitlist_entries: 'bookings',
};
/** Test bookings need the developer pages. */
const needFor = (name: string, verb: string): Permission | 'any' | 'none' =>
  name === 'bookings' && verb === 'insert' ? 'settings' : (NEEDS[name] ?? 'none');
/** Functions that report what a session lacks. Every staff account may call them. */
const ABOUT_THE_SESSION = new Set(['second_factor_rules', 'lacks_second_factor']);

describe.each(engines)('sessions of staff on $name', (engine) => {
  let app: Populated;
  const single = new Map<Permission, Customer>();
  beforeAll(async () => {
    app = await populate(engine);
    for (const permission of PERMISSIONS) {
      const person = await app.server.addCustomer();
      await db().query(`insert into public.user_roles (user_id, role) values ($1::uuid, 'admin')`, [person.id]);
      await db().query('update public.staff_permissions set permission = $2 where user_id = $1::uuid', [
        person.id,
        permission,
      ]);
      single.set(permission, person);
    }
  }, 180_000);
  afterAll(() => app.server.close());

  const db = () => app.server.app.db;
  const personWith = (permission: Permission): Customer => {
    const person = single.get(permission);
    if (!person) throw new Error(`no account has only ${permission}`);
    return person;
  };
  const requireFactor = async (permissions: readonly Permission[]): Promise<void> => {
    await db().query('delete from private.second_factor_rule');
    await db().query('insert into private.second_factor_rule (permission) select unnest($1::text[])', [permissions]);
  };
  const withRules = async (permissions: readonly Permission[], work: () => Promise<void>): Promise<void> => {
    await requireFactor(permissions);
    try {
      await work();
    } finally {
      await requireFactor([]);
    }
  };

  /** Returns the cells whose outcome differs from that of the principal that `as` returns for a relation and verb. */
  async function wrongCells(
    client: SupabaseClient,
    self: string,
    as: (name: string, verb: string) => Principal,
  ): Promise<string[]> {
    const wrong: string[] = [];
    for (const [name, expectation] of Object.entries(app.matrix)) {
      for (const verb of VERBS) {
        for (const [row, { key }] of Object.entries(expectation.rows)) {
          // Own rows are the same for all accounts.
          if (key['user_id'] === self) continue;
          const principal = as(name, verb);
          const expected = expectedOutcome(expectation, principal, verb, row);
          const seen: Outcome = verb === 'head' && expected === 'masked' ? 'shown' : expected;
          const { outcome, code } = await askCell(client, name, expectation, { principal, verb, row });
          if (outcome !== seen) wrong.push(`${name} ${verb} ${row}: ${outcome} (${code}) instead of ${seen}`);
        }
      }
    }
    return wrong;
  }

  test('every relation of the matrix has its need', () => {
    expect(Object.keys(NEEDS).toSorted()).toEqual(Object.keys(app.matrix).toSorted());
  });

  test.each(PERMISSIONS)('staff with only %s: every verb and row', async (permission) => {
    const person = personWith(permission);
    const may = (need: Permission | 'any' | 'none'): boolean =>
      need === 'any' || (need !== 'none' && (permission === 'owner' || need === permission));
    const as = (name: string, verb: string): Principal => (may(needFor(name, verb)) ? 'admin' : 'unverified');
    expect(await wrongCells(app.server.client(person.token), person.id, as)).toEqual([]);
  });

  test.each(['colleague', 'admin'] as const)(
    'with a rule for every permission, a session of %s without the second factor: every verb and row is as for a customer',
    (who) =>
      withRules(PERMISSIONS, async () => {
        expect(await wrongCells(app.clients[who], app.people[who], () => 'unverified')).toEqual([]);
      }),
  );

  test.each(PERMISSIONS)(
    'with a rule for %s alone, a session of staff with only that permission and no second factor sees what a customer sees',
    (permission) =>
      withRules([permission], async () => {
        const person = personWith(permission);
        // Cast: the test reads the relations by name.
        const client = app.server.client(person.token) as SupabaseClient;
        expect((await client.rpc('is_staff')).data).toBe(false);
        for (const name of Object.keys(NEEDS)) {
          const read = await client.from(name).select('*');
          const same = await app.clients.unverified.from(name).select('*');
          const others = (rows: unknown): unknown =>
            Array.isArray(rows) ? rows.filter((row) => !('user_id' in row) || row.user_id === null) : rows;
          expect([name, read.error?.code, others(read.data)]).toEqual([name, same.error?.code, others(same.data)]);
        }
      }),
  );

  test('with a rule for every permission, each function of the database answers a session of an owner without the second factor as it answers a customer', () =>
    withRules(PERMISSIONS, async () => {
      const ask = async (token: string, { path, body }: { path: string; body?: string }): Promise<unknown> => {
        const answer = await fetch(`${app.server.url}/rest/v1${path}`, {
          method: 'POST',
          headers: {
            apikey: app.server.app.keys.anonKey,
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            prefer: 'tx=rollback',
          },
          body: body ?? '{}',
        });
        const content: unknown = await answer.json().catch(() => null);
        // A refusal may describe in different words what is missing.
        return answer.ok ? content : [answer.status, (content as { code?: string } | null)?.code];
      };
      const owner = personWith('owner');
      const customer = await app.server.addCustomer();
      for (const [name, calls] of Object.entries(CALLS)) {
        const [call] = calls;
        if (call === undefined || ABOUT_THE_SESSION.has(name)) continue;
        expect([name, await ask(owner.token, call)]).toEqual([name, await ask(customer.token, call)]);
      }
    }));

  test('with a rule for every permission, each staff function refuses a session of an owner without the second factor, and a session with it is admitted', () =>
    withRules(PERMISSIONS, async () => {
      const names = Object.values(contracts).flatMap(({ name, callers }) => (callers === 'staff' ? [name] : []));
      expect(names.length).toBeGreaterThan(40);
      const owner = personWith('owner');
      const refused = { status: 403, body: { error: { code: 'second_factor_required' } } };
      for (const name of [...names, 'test-igloohome-config'])
        expect([name, await app.server.call(name, {}, owner.token)]).toMatchObject([name, refused]);
      await db().query(`update auth.sessions set aal = 'aal2' where user_id = $1::uuid`, [owner.id]);
      expect((await app.server.call('staff-access-codes', {}, owner.token)).status).toBe(200);
      await db().query(`update auth.sessions set aal = 'aal1' where user_id = $1::uuid`, [owner.id]);
    }));

  test('a rule ends the private channel of staff in sessions without the second factor, and a lost permission ends it too', async () => {
    const closedFor = async (person: Customer, change: () => Promise<unknown>): Promise<void> => {
      const client = app.server.client(person.token);
      await client.realtime.setAuth(person.token);
      const channel = client.channel('staff', { config: { private: true } });
      const states: string[] = [];
      await new Promise<void>((resolve) => {
        channel.subscribe((state) => {
          states.push(state);
          resolve();
        });
      });
      expect(states).toEqual(['SUBSCRIBED']);
      await change();
      await expect.poll(() => states, { timeout: 10_000 }).toEqual(['SUBSCRIBED', 'CLOSED']);
      await client.removeAllChannels();
    };
    await closedFor(personWith('money'), () => requireFactor(['money']));
    await requireFactor([]);
    await closedFor(personWith('money'), () =>
      db().query(`delete from public.staff_permissions where user_id = $1::uuid`, [personWith('money').id]),
    );
  });

  test('the contact of a guest of staff is shown to staff with the permission for bookings, and to no other staff', async () => {
    await db().query(
      `update private.booking set guest_name = 'Gus', guest_email = 'gus@example.com' where user_id is null and start_time = '2031-01-01T04:00:00Z'`,
    );
    const read = async (token: string): Promise<unknown> =>
      (
        await app.server
          .client(token)
          .from('bookings')
          .select('guest_name,guest_email,contact_phone')
          .eq('start_time', '2031-01-01T04:00:00Z')
          .not('id', 'is', null)
      ).data;
    const shown = [{ guest_name: 'Gus', guest_email: 'gus@example.com', contact_phone: '+61400000000' }];
    const hidden = [{ guest_name: null, guest_email: null, contact_phone: null }];
    expect(await read(personWith('bookings').token)).toEqual(shown);
    expect(await read(personWith('owner').token)).toEqual(shown);
    for (const permission of ['identity', 'settings'] as const)
      expect(await read(personWith(permission).token)).toEqual(hidden);
  });

  test('until when an ID is verified is shown to staff with the permissions for bookings and IDs, not to staff with only bookings', async () => {
    await db().query(
      `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at) values ($1::uuid, 'staff', 'verified', now(), '2999-01-01')`,
      [app.people.unverified],
    );
    const booking = await db().queryRow<{ reference: string }>(
      `update private.booking set user_id = $1::uuid where start_time = '2031-01-01T02:00:00Z' returning reference`,
      [app.people.unverified],
    );
    const read = async (permission: Permission): Promise<unknown> => {
      const client = app.server.client(personWith(permission).token);
      const found = await client.rpc('search_customers', { words: '' });
      const details = await client.rpc('booking_details', { reference: booking?.reference ?? '' });
      const rows = found.data as { user_id: string; verified_until: string | null }[];
      return [
        rows.find(({ user_id }) => user_id === app.people.unverified)?.verified_until?.slice(0, 10) ?? null,
        (details.data as { mayReadId: boolean }).mayReadId,
        (details.data as { verification: { status: string } | null }).verification?.status ?? null,
      ];
    };
    expect(await read('bookings')).toEqual([null, false, null]);
    expect(await read('owner')).toEqual(['2999-01-01', true, 'verified']);
  });
});
