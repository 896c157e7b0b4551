import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Row, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const PERSON = uuid(1);
const STUDIO = uuid(2);
const BOOKING = uuid(3);
const AT = '2031-03-01T00:00:00Z';

const addPerson = ({ add }: Rows, more: Row = {}): Promise<Row> =>
  add('auth.users', {
    id: PERSON,
    aud: 'authenticated',
    role: 'authenticated',
    email: 'a@example.com',
    raw_app_meta_data: { providers: ['email'] },
    raw_user_meta_data: {},
    created_at: AT,
    updated_at: AT,
    email_change_confirm_status: 0,
    is_anonymous: false,
    is_sso_user: false,
    ...more,
  });
async function addBooking(rows: Rows, more: Row = {}): Promise<Row> {
  await rows.query(
    `insert into public.studios (id, name, hourly_rate) values ($1, 'Testing', 49) on conflict do nothing`,
    [STUDIO],
  );
  return rows.add('private.booking', {
    id: BOOKING,
    reference: 'AAAA-0000',
    studio_id: STUDIO,
    studio_name: 'Testing',
    start_time: AT,
    end_time: '2031-03-01T01:00:00Z',
    hold_expires_at: AT,
    total_hours: 1,
    base_cost_cents: 4900,
    final_cost_cents: 4900,
    ...more,
  });
}
const addPayment = ({ add }: Rows, more: Row = {}): Promise<Row> =>
  add('private.payment', {
    id: uuid(4),
    booking_id: BOOKING,
    attempt: 1,
    kind: 'card',
    key: 'k',
    amount_cents: 4900,
    ...more,
  });
/** Changes rows without triggers and foreign keys. */
async function force({ query }: Rows, text: string): Promise<void> {
  await query('set local session_replication_role = replica');
  await query(text);
  await query('set local session_replication_role = origin');
}

/** Each trigger that sets `updated_at`, with its table and a change that fires it. */
const TOUCHED: readonly (readonly [
  trigger: string,
  table: string,
  make: (rows: Rows) => Promise<unknown>,
  change: string,
])[] = [
  ['users_updated_at', 'auth.users', (rows) => addPerson(rows), `aud = 'authenticated'`],
  ['profiles_updated_at', 'public.profiles', (rows) => addPerson(rows), `dj_name = 'New'`],
  [
    'buckets_updated_at',
    'storage.buckets',
    ({ query }) => query(`delete from storage.buckets where id <> 'id-verifications'`),
    'file_size_limit = 1',
  ],
  [
    'discount_codes_updated_at',
    'public.discount_codes',
    ({ query }) =>
      query(`insert into public.discount_codes (code, discount_type, discount_value) values ('TEN', 'fixed', 10)`),
    `description = 'x'`,
  ],
  ['booking_updated_at', 'private.booking', (rows) => addBooking(rows), `notes = 'x'`],
  [
    'booking_drafts_updated_at',
    'public.booking_drafts',
    async (rows) => {
      await addPerson(rows);
      await rows.add('public.booking_drafts', { user_id: PERSON, data: {} });
    },
    `data = '[]'`,
  ],
  [
    'payment_updated_at',
    'private.payment',
    async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
    },
    `url = 'x'`,
  ],
  [
    'partial_refund_updated_at',
    'private.partial_refund',
    async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      await force(
        rows,
        `insert into private.partial_refund (payment_id, request_key, amount_cents, reason, actor)
         values ('${uuid(4)}', 'k', 1, 'r', '${uuid(4)}')`,
      );
    },
    `state = 'done'`,
  ],
  [
    'dispute_updated_at',
    'private.dispute',
    async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      await rows.add('private.dispute', {
        id: 'd',
        payment_id: uuid(4),
        status: 'open',
        provider_status: 'needs_response',
        needs_response: true,
        amount_cents: 1,
        opened_at: AT,
      });
    },
    `reason = 'fraudulent'`,
  ],
  [
    'refund_updated_at',
    'private.refund',
    async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      await rows.add('private.refund', {
        id: 'r',
        payment_id: uuid(4),
        amount_cents: 1,
        status: 'pending',
        ours: true,
      });
    },
    `status = 'failed'`,
  ],
];
test.each(TOUCHED)('%s sets updated_at of %s at every change', (_name, table, make, change) =>
  database.rolledBack(async (rows) => {
    await make(rows);
    await force(rows, `update ${table} set updated_at = '2001-01-01'`);
    await rows.query(`update ${table} set ${change}`);
    expect(await rows.value(`select every(updated_at > now() - interval '1 hour') from ${table}`)).toBe(true);
  }),
);

const BOOKING_STATES = ['pending', 'confirmed', 'cancelled'];
const BOOKING_MOVES = ['pending confirmed', 'pending cancelled', 'confirmed cancelled'];
const PAYMENT_STATES =
  'intent open processing failed expired paid refund_pending refunded refund_failed refund_manual disputed dispute_lost'.split(
    ' ',
  );
const PAYMENT_MOVES: Readonly<Record<string, string>> = {
  intent: 'open processing failed expired paid refund_pending',
  open: 'processing failed expired paid refund_pending',
  processing: 'paid failed refund_pending',
  failed: 'refund_pending',
  expired: 'processing failed refund_pending',
  paid: 'refund_pending refunded disputed dispute_lost',
  disputed: 'paid dispute_lost refund_pending refunded',
  dispute_lost: 'paid disputed refund_pending',
  refund_pending: 'refunded refund_failed dispute_lost refund_manual',
  refunded: 'refund_failed',
  refund_failed: 'refund_pending refund_manual refunded dispute_lost',
  refund_manual: 'refund_pending',
};

describe('states', () => {
  test(
    'a booking moves only from pending to confirmed or cancelled and from confirmed to cancelled',
    rolledBack(async (rows) => {
      await addBooking(rows);
      const moves: string[] = [];
      const reason = (state: string): string => (state === 'cancelled' ? `'staff'` : 'null');
      for (const from of BOOKING_STATES)
        for (const to of BOOKING_STATES) {
          await force(rows, `update private.booking set status = '${from}', cancel_reason = ${reason(from)}`);
          const refused = await rows.refusal(() =>
            rows.query(`update private.booking set status = '${to}', cancel_reason = ${reason(to)}`),
          );
          if (refused === null && from !== to) moves.push(`${from} ${to}`);
          if (refused) expect([refused.code, refused.constraint]).toEqual(['23514', 'booking_transition']);
          if (from === to) expect(refused).toBeNull();
        }
      expect(moves).toEqual(BOOKING_MOVES);
    }),
  );

  test(
    'a payment makes exactly the listed state changes',
    rolledBack(async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      const moves: Record<string, string[]> = Object.fromEntries(PAYMENT_STATES.map((state) => [state, []]));
      for (const from of PAYMENT_STATES)
        for (const to of PAYMENT_STATES) {
          await force(rows, `update private.payment set state = '${from}'`);
          const refused = await rows.refusal(() => rows.query(`update private.payment set state = '${to}'`));
          if (refused) expect([refused.code, refused.constraint]).toEqual(['23514', 'payment_transition']);
          else if (from !== to) moves[from]?.push(to);
          if (from === to) expect(refused).toBeNull();
        }
      for (const from of PAYMENT_STATES)
        expect([from, moves[from]?.toSorted()]).toEqual([
          from,
          (PAYMENT_MOVES[from] ?? '').split(' ').filter(Boolean).toSorted(),
        ]);
    }),
  );

  test(
    'the columns of a quote cannot change',
    rolledBack(async (rows) => {
      await addBooking(rows);
      for (const change of [
        `studio_id = (select gen_random_uuid())`,
        `start_time = start_time + interval '1 minute'`,
        `end_time = end_time + interval '1 minute'`,
        ...['base_cost_cents', 'discount_cents', 'coupon_discount_cents', 'final_cost_cents', 'total_hours'].map(
          (name) => `${name} = ${name} + 1`,
        ),
      ]) {
        const refused = await rows.refusal(() => rows.query(`update private.booking set ${change}`));
        expect([change, refused?.constraint]).toEqual([change, 'booking_quote_frozen']);
      }
      expect(
        await rows.refusal(() => rows.query(`update private.booking set notes = 'x', hold_expires_at = now()`)),
      ).toBeNull();
    }),
  );

  test(
    'the booking, amount, currency, kind and key of a payment cannot change',
    rolledBack(async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      for (const change of [
        'booking_id = gen_random_uuid()',
        'amount_cents = 1',
        `currency = 'usd'`,
        `kind = 'free'`,
        `key = 'l'`,
      ])
        expect([
          change,
          (await rows.refusal(() => rows.query(`update private.payment set ${change}`)))?.constraint,
        ]).toEqual([change, 'payment_frozen']);
      expect(await rows.refusal(() => rows.query(`update private.payment set url = 'x', paid_cents = 5`))).toBeNull();
    }),
  );

  test(
    'confirmed_at and cancelled_at are set once, when the status changes',
    rolledBack(async (rows) => {
      await addBooking(rows);
      const at = (): Promise<Row[]> =>
        rows.query(
          'select confirmed_at is not null as confirmed, cancelled_at is not null as cancelled from private.booking',
        );
      await rows.query(`update private.booking set notes = 'x'`);
      expect(await at()).toEqual([{ confirmed: false, cancelled: false }]);
      await rows.query(`update private.booking set status = 'confirmed', confirmed_at = '2030-01-01'`);
      expect(await at()).toEqual([{ confirmed: true, cancelled: false }]);
      await rows.query(`update private.booking set notes = 'y', confirmed_at = null`);
      expect(await at()).toEqual([{ confirmed: false, cancelled: false }]);
      await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff'`);
      expect(await at()).toEqual([{ confirmed: false, cancelled: true }]);
      await rows.query(`update private.booking set cancelled_at = null`);
      expect(await at()).toEqual([{ confirmed: false, cancelled: false }]);
    }),
  );

  test(
    'a booking starts as pending unless it is a test booking',
    rolledBack(async (rows) => {
      const start = (more: Row) =>
        rows.refusal(() => addBooking(rows, more)).then((refused) => refused?.constraint ?? null);
      expect(await start({ status: 'confirmed' })).toBe('booking_starts_pending');
      expect(await start({ status: 'confirmed', notes: 'other' })).toBe('booking_starts_pending');
      expect(await start({ status: 'cancelled', cancel_reason: 'staff' })).toBe('booking_starts_pending');
      expect(await start({ status: 'confirmed', notes: 'test' })).toBeNull();
      expect(await start({ notes: 'other' })).toBeNull();
    }),
  );

  test(
    'a confirmed booking must have been paid in full at the end of the transaction',
    rolledBack(async (rows) => {
      await addBooking(rows);
      await addPayment(rows);
      const outcome = (state: string, cents: number, notes = 'null') =>
        rows
          .refusal(async () => {
            await force(rows, `update private.payment set state = '${state}', amount_cents = ${cents}`);
            await rows.query(`update private.booking set status = 'confirmed', notes = ${notes}`);
            await rows.query('set constraints all immediate');
          })
          .then((refused) => refused?.constraint ?? null);
      for (const state of PAYMENT_STATES)
        expect([state, await outcome(state, 4900)]).toEqual([
          state,
          ['paid', 'disputed', 'dispute_lost'].includes(state) ? null : 'booking_confirmed_is_paid',
        ]);
      expect(await outcome('paid', 4899)).toBe('booking_confirmed_is_paid');
      expect(await outcome('open', 4900, `'test'`)).toBeNull();
      expect(await outcome('open', 4900, `'other'`)).toBe('booking_confirmed_is_paid');
      const cancelledAgain = await rows.refusal(async () => {
        await rows.query(`update private.booking set status = 'confirmed'`);
        await rows.query(`update private.booking set status = 'cancelled', cancel_reason = 'staff'`);
        await rows.query('set constraints all immediate');
      });
      expect(cancelledAgain).toBeNull();
    }),
  );

  test(
    'confirming a booking commits its use of a code, cancelling returns it, unless the use is moving',
    rolledBack(async (rows) => {
      await rows.query(
        `insert into public.discount_codes (id, code, discount_type, discount_value, current_uses) values ('${uuid(5)}', 'TEN', 'fixed', 10, 3), ('${uuid(6)}', 'TWO', 'fixed', 10, 3)`,
      );
      await addBooking(rows);
      await addBooking(rows, {
        id: uuid(7),
        reference: 'BBBB-0000',
        start_time: '2031-04-01T00:00:00Z',
        end_time: '2031-04-01T01:00:00Z',
      });
      const [redemption, other] = [
        { booking_id: BOOKING, coupon_id: uuid(5), state: 'reserved', created_at: AT },
        { booking_id: uuid(7), coupon_id: uuid(5), state: 'reserved', created_at: AT },
      ];
      await rows.add('private.coupon_redemption', redemption);
      await rows.add('private.coupon_redemption', other);
      const after = async (change: string, before = ''): Promise<string> => {
        await rows.query('savepoint one');
        if (before) await force(rows, before);
        await rows.query(`update private.booking set ${change} where id = '${BOOKING}'`);
        const state = await rows.value(
          `select string_agg(r.state || coalesce(' moving', '') , ',' order by r.booking_id) || ' ' || (select string_agg(d.current_uses::text, ',' order by d.code) from public.discount_codes d)
         || ' ' || (select count(*) from private.coupon_redemption x where x.moving_until is not null) from private.coupon_redemption r`,
        );
        await rows.query('rollback to savepoint one');
        return String(state).replaceAll(' moving', '');
      };
      const cancel = `status = 'cancelled', cancel_reason = 'staff'`;
      expect(await after(`status = 'confirmed'`)).toBe('committed,reserved 3,3 0');
      expect(await after(`status = 'pending'`)).toBe('reserved,reserved 3,3 0');
      expect(await after(cancel)).toBe('returned,reserved 2,3 0');
      expect(
        await after(cancel, `update private.coupon_redemption set state = 'committed' where booking_id = '${BOOKING}'`),
      ).toBe('returned,reserved 2,3 0');
      expect(
        await after(cancel, `update private.coupon_redemption set state = 'returned' where booking_id = '${BOOKING}'`),
      ).toBe('returned,reserved 3,3 0');
      expect(
        await after(
          `status = 'confirmed'`,
          `update private.coupon_redemption set state = 'returned' where booking_id = '${BOOKING}'`,
        ),
      ).toBe('returned,reserved 3,3 0');
      expect(
        await after(
          cancel,
          `update private.coupon_redemption set moving_until = now() + interval '1 hour' where booking_id = '${BOOKING}'`,
        ),
      ).toBe('reserved,reserved 3,3 1');
      expect(
        await after(
          cancel,
          `update private.coupon_redemption set moving_until = now() - interval '1 hour' where booking_id = '${BOOKING}'`,
        ),
      ).toBe('returned,reserved 2,3 0');
      expect(
        await after(
          cancel,
          `update private.booking set status = 'cancelled', cancel_reason = 'staff' where id = '${BOOKING}'`,
        ),
      ).toBe('reserved,reserved 3,3 0');
    }),
  );

  test(
    'a booking loses its phone number when its account is deleted',
    rolledBack(async (rows) => {
      await addPerson(rows);
      await addBooking(rows, { user_id: PERSON, contact_phone: '0400000000' });
      await rows.query(`update private.booking set user_id = user_id, notes = 'x'`);
      expect(await rows.value('select contact_phone from private.booking')).toBe('0400000000');
      await rows.query('update private.booking set user_id = null');
      expect(await rows.value('select contact_phone from private.booking')).toBeNull();
    }),
  );
});

describe('accounts', () => {
  test(
    'a new profile is filled from the sign-up',
    rolledBack(async (rows) => {
      await addPerson(rows, {
        raw_user_meta_data: { full_name: ' Ann ', phone: '04', dj_name: '', date_of_birth: '2000-02-30' },
      });
      expect(
        await rows.query('select user_id, full_name, email, phone, dj_name, date_of_birth from public.profiles'),
      ).toEqual([
        { user_id: PERSON, full_name: 'Ann', email: 'a@example.com', phone: '04', dj_name: null, date_of_birth: null },
      ]);
    }),
  );

  test(
    'a birth date is accepted only as a date from 1900 to 2100',
    rolledBack(async ({ value }) => {
      for (const [text, date] of [
        ['1900-01-01', '1900-01-01'],
        ['2100-01-01', '2100-01-01'],
        ['1899-12-31', null],
        ['2100-01-02', null],
        ['2000-02-30', null],
        ['01/02/2000', null],
        ['', null],
      ])
        expect([text, await value('select private.date_or_null($1)', [text])]).toEqual([text, date]);
    }),
  );

  test(
    'repeating a sign-up before it is confirmed updates the profile, afterwards it does not',
    rolledBack(async (rows) => {
      await addPerson(rows, { raw_user_meta_data: { full_name: 'Ann' } });
      await rows.query(`update auth.users set raw_user_meta_data = '{"full_name": "Bea"}'`);
      expect(await rows.value('select full_name from public.profiles')).toBe('Bea');
      await rows.query(`update public.profiles set full_name = 'Cleo'`);
      await rows.query('update auth.users set raw_user_meta_data = raw_user_meta_data');
      expect(await rows.value('select full_name from public.profiles')).toBe('Cleo');
      await rows.query('update auth.users set email_confirmed_at = now()');
      await rows.query(`update auth.users set raw_user_meta_data = '{"full_name": "Dora"}'`);
      expect(await rows.value('select full_name from public.profiles')).toBe('Cleo');
    }),
  );

  test(
    'the email of a profile always equals that of its account',
    rolledBack(async (rows) => {
      await addPerson(rows);
      await rows.query(`update public.profiles set email = 'b@example.com'`);
      expect(await rows.value('select email from public.profiles')).toBe('a@example.com');
      await rows.query(`update auth.users set email = 'c@example.com'`);
      expect(await rows.value('select email from public.profiles')).toBe('c@example.com');
    }),
  );

  test(
    'an address in admin_emails gets the role admin when it is confirmed, with an entry in the audit log',
    rolledBack(async (rows) => {
      await rows.query(
        `insert into private.settings values ('admin_emails', '["a@example.com", "d@example.com"]'), ('other', '["b@example.com"]')`,
      );
      await addPerson(rows);
      const roles = (): Promise<Row[]> => rows.query('select user_id, role from public.user_roles order by user_id');
      expect(await roles()).toEqual([]);
      await rows.query('update auth.users set email_confirmed_at = now()');
      expect(await roles()).toEqual([{ user_id: PERSON, role: 'admin' }]);
      expect(await rows.query('select actor, action, resource_type, resource_id from public.audit_logs')).toEqual([
        { actor: PERSON, action: 'create', resource_type: 'user_role', resource_id: PERSON },
      ]);
      await addPerson(rows, { id: uuid(8), email: 'b@example.com', email_confirmed_at: AT });
      await addPerson(rows, { id: uuid(9), email: 'd@example.com', email_confirmed_at: AT });
      expect(await roles()).toEqual([
        { user_id: PERSON, role: 'admin' },
        { user_id: uuid(9), role: 'admin' },
      ]);
      await rows.query('delete from public.user_roles');
      await rows.query(`update auth.users set raw_user_meta_data = '{"a": 1}', email = email`);
      expect(await roles()).toEqual([]);
    }),
  );

  test(
    'the email and phone identities follow an account whose providers name them',
    rolledBack(async (rows) => {
      const identities = (): Promise<Row[]> =>
        rows.query(
          `select provider, provider_id, identity_data ->> 'email_verified' as mail, identity_data ->> 'phone_verified' as phone, identity_data ->> coalesce(provider, '') as address from auth.identities order by 1`,
        );
      await addPerson(rows);
      const mail = { provider: 'email', provider_id: PERSON, mail: 'false', phone: 'false', address: 'a@example.com' };
      expect(await identities()).toEqual([mail]);
      await rows.query(`update auth.users set email_confirmed_at = now(), phone = '61400000000'`);
      expect(await identities()).toEqual([{ ...mail, mail: 'true' }]);
      await rows.query(`update auth.users set raw_app_meta_data = '{"providers": ["email", "phone"]}'`);
      const phone = { provider: 'phone', provider_id: PERSON, mail: 'false', phone: 'false', address: '61400000000' };
      expect(await identities()).toEqual([{ ...mail, mail: 'true' }, phone]);
      await rows.query('update auth.users set phone_confirmed_at = now()');
      expect(await identities()).toEqual([
        { ...mail, mail: 'true' },
        { ...phone, phone: 'true' },
      ]);
      await addPerson(rows, { id: uuid(8), email: 'b@example.com', raw_app_meta_data: { providers: ['google'] } });
      await addPerson(rows, { id: uuid(9), email: null, raw_app_meta_data: { providers: ['email', 'phone'] } });
      expect(await identities()).toHaveLength(2);
    }),
  );

  test(
    'a new name or birth date supersedes a verification; other changes and another case do not',
    rolledBack(async (rows) => {
      await addPerson(rows, { raw_user_meta_data: { full_name: 'Ann', date_of_birth: '1990-01-01' } });
      const status = async (change: string): Promise<unknown> => {
        await rows.query('savepoint one');
        for (const verification of ['verified', 'review', 'failed'])
          await rows.query(
            `insert into public.id_verifications (user_id, source, verification_status, verified_at, expires_at) values ($1, 'photo', $2, now(), now())`,
            [PERSON, verification],
          );
        await rows.query(`update public.profiles set ${change}`);
        const states = await rows.value(
          `select string_agg(verification_status, ',' order by verification_status) from public.id_verifications`,
        );
        await rows.query('rollback to savepoint one');
        return states;
      };
      expect(await status(`full_name = 'Bea'`)).toBe('failed,superseded,superseded');
      expect(await status('full_name = null')).toBe('failed,superseded,superseded');
      expect(await status(`date_of_birth = '1990-01-02'`)).toBe('failed,superseded,superseded');
      expect(await status(`full_name = ' ANN ', dj_name = 'x'`)).toBe('failed,review,verified');
    }),
  );
});

describe('audit logs, mailing list and mails', () => {
  test.each(['public.audit_logs', 'auth.audit_log_entries'])(
    'rows of %s cannot be updated, deleted or truncated',
    (table) =>
      database.rolledBack(async (rows) => {
        const columns =
          table === 'public.audit_logs'
            ? `(action, resource_type) values ('a', 'b')`
            : `(payload, created_at) values ('{"action": "a"}', now())`;
        await rows.query(`insert into ${table} ${columns}`);
        for (const change of [`update ${table} set id = id`, `delete from ${table}`, `truncate ${table}`])
          expect([change, (await rows.refusal(() => rows.query(change)))?.code]).toEqual([change, '42501']);
      }),
  );

  test(
    'an address of the mailing list is trimmed and lower case, and may subscribe again',
    rolledBack(async (rows) => {
      await rows.query(`insert into public.mailing_list (email) values (' A@Example.com ')`);
      await rows.query(`insert into public.mailing_list (email) values ('b@example.com')`);
      expect(await rows.value('select min(email) from public.mailing_list')).toBe('a@example.com');
      expect(
        (await rows.refusal(() => rows.query(`insert into public.mailing_list (email) values ('a@example.com')`)))
          ?.code,
      ).toBe('23505');
      await rows.query('update public.mailing_list set unsubscribed_at = now()');
      await rows.query(`update public.mailing_list set email = ' C@example.com' where email like 'a%'`);
      expect(await rows.value('select count(*) from public.mailing_list')).toBe(2);
      await rows.query(`insert into public.mailing_list (email) values ('c@example.com')`);
      expect(
        await rows.query('select email, unsubscribed_at is null as stays from public.mailing_list order by 1'),
      ).toEqual([
        { email: 'b@example.com', stays: false },
        { email: 'c@example.com', stays: true },
      ]);
    }),
  );

  test(
    'the counts of the mailing list are those of its rows after each statement, also one of many rows or none',
    rolledBack(async (rows) => {
      const counts = () =>
        rows.value(`select concat_ws(' ', subscribed, gone, bounced) from private.mailing_list_count`);
      const seen = [];
      for (const statement of [
        `insert into public.mailing_list (email) select 'p' || n || '@example.com' from generate_series(1, 6) n`,
        `update public.mailing_list set unsubscribed_at = now() where email < 'p3'`,
        `update public.mailing_list set bounced_at = now() where email between 'p2' and 'p5'`,
        `update public.mailing_list set bounced_at = null where email like 'nobody%'`,
        `insert into public.mailing_list (email) values ('p1@example.com')`,
        `delete from public.mailing_list where email > 'p4'`,
        'delete from public.mailing_list',
      ]) {
        await rows.query(statement);
        seen.push(await counts());
      }
      expect(seen).toEqual(['6 0 0', '4 2 0', '2 2 2', '2 2 2', '3 1 2', '1 1 1', '0 0 0']);
    }),
  );

  test(
    'nobody is kept on the mailing list by a count that is wrong: it stays at zero',
    rolledBack(async (rows) => {
      await rows.query(`insert into public.mailing_list (email) values ('a@example.com')`);
      await rows.query('update private.mailing_list_count set subscribed = 0');
      await rows.query('update public.mailing_list set unsubscribed_at = now()');
      expect(await rows.value(`select concat_ws(' ', subscribed, gone, bounced) from private.mailing_list_count`)).toBe(
        '0 1 0',
      );
    }),
  );

  test(
    'leaving the mailing list ends one subscription and keeps the time of the first call',
    rolledBack(async (rows) => {
      await rows.query(
        `insert into public.mailing_list (id, email) values ('${uuid(1)}', 'a@example.com'), ('${uuid(2)}', 'b@example.com')`,
      );
      await rows.query('select public.leave_mailing_list($1)', [uuid(1)]);
      const [before] = await rows.query(
        'select id, unsubscribed_at from public.mailing_list where unsubscribed_at is not null',
      );
      expect(before?.['id']).toBe(uuid(1));
      await rows.query('select public.leave_mailing_list($1)', [uuid(1)]);
      expect(
        await rows.query('select id, unsubscribed_at from public.mailing_list where unsubscribed_at is not null'),
      ).toEqual([before]);
    }),
  );

  test(
    'a code is trimmed and upper case; each change except that of its counter is in the audit log',
    rolledBack(async (rows) => {
      await rows.setClaims({ sub: PERSON });
      await rows.query(
        `insert into public.discount_codes (code, discount_type, discount_value) values (' ten ', 'fixed', 10)`,
      );
      await rows.query(`update public.discount_codes set code = ' eleven'`);
      await rows.query('update public.discount_codes set current_uses = 1');
      await rows.query('update public.discount_codes set active = false');
      await rows.query('delete from public.discount_codes');
      expect(
        await rows.query(
          `select actor, action, resource_type, details ->> 'code' as code from public.audit_logs order by created_at`,
        ),
      ).toEqual(
        ['create TEN', 'update ELEVEN', 'update ELEVEN', 'delete ELEVEN'].map((entry) => ({
          actor: PERSON,
          action: entry.split(' ')[0],
          resource_type: 'discount_code',
          code: entry.split(' ')[1],
        })),
      );
    }),
  );

  test(
    'a mail about a booking goes to its customer, is queued until the session ends, and a request by staff is in the audit log',
    rolledBack(async (rows) => {
      await addPerson(rows);
      await addPerson(rows, { id: uuid(8), email: 'b@example.com' });
      await addBooking(rows, { user_id: PERSON });
      await addBooking(rows, {
        id: uuid(7),
        reference: 'BBBB-0000',
        start_time: '2031-04-01T00:00:00Z',
        end_time: '2031-04-01T01:00:00Z',
      });
      const mail = (status: string, booking = BOOKING) =>
        rows.add('public.scheduled_emails', {
          id: uuid(10 + status.length),
          created_at: AT,
          booking_id: booking,
          recipient_email: 'other@example.com',
          email_type: 'access_code',
          status,
          scheduled_for: AT,
        });
      expect((await mail('sent'))['recipient_email']).toBe('a@example.com');
      expect(await rows.value('select count(*) from private.outbox')).toBe(0);
      await mail('pending');
      expect(await rows.query('select kind, subject_id, dedupe, due_at, deadline_at from private.outbox')).toEqual([
        {
          kind: 'mail.access-code',
          subject_id: BOOKING,
          dedupe: uuid(17),
          due_at: new Date(AT),
          deadline_at: new Date('2031-03-01T01:00:00Z'),
        },
      ]);
      expect((await rows.refusal(() => mail('cancelled', uuid(7))))?.code).toBe('23514');
      expect(await rows.value('select count(*) from public.audit_logs')).toBe(0);
      await rows.setClaims({ sub: PERSON });
      await mail('pending_immediate');
      expect(await rows.value('select count(*) from private.outbox')).toBe(2);
      expect(await rows.query('select actor, action, resource_type, resource_id from public.audit_logs')).toEqual([
        { actor: PERSON, action: 'create', resource_type: 'scheduled_email', resource_id: uuid(27) },
      ]);
    }),
  );
});

describe('storage', () => {
  const object = {
    id: uuid(1),
    bucket_id: 'b',
    name: 'n',
    storage_key: 'k',
    content_type: 'text/plain',
    size: 1,
    etag: 'e',
    cache_control: '',
    user_metadata: {},
    version: '1',
    last_accessed_at: AT,
    created_at: AT,
    updated_at: AT,
  };
  const bucket = ({ query }: Rows): Promise<unknown> =>
    query(`insert into storage.buckets (id, name, owner_only) values ('b', 'b', false), ('c', 'c', true)`);
  const removed = ({ value }: Rows): Promise<unknown> =>
    value(`select coalesce(string_agg(storage_key, ',' order by storage_key), '') from storage.deletion_queue`);

  test(
    'bytes are queued for deletion once no row refers to them',
    rolledBack(async (rows) => {
      await bucket(rows);
      await rows.query(`insert into storage.deletion_queue (storage_key) values ('k'), ('z')`);
      await rows.add('storage.objects', object);
      expect(await removed(rows)).toBe('z');
      await rows.query(`update storage.objects set content_type = 'x'`);
      expect(await removed(rows)).toBe('z');
      await rows.query(`insert into storage.deletion_queue (storage_key) values ('l')`);
      await rows.query(`update storage.objects set storage_key = 'l'`);
      expect(await removed(rows)).toBe('k,z');
      await rows.query('delete from storage.objects');
      expect(await removed(rows)).toBe('k,l,z');
    }),
  );

  test(
    'bytes of an upload part are queued for deletion with its row',
    rolledBack(async (rows) => {
      await bucket(rows);
      await rows.query(
        `insert into storage.uploads (id, bucket_id, name, role, replace, content_type, described, length, expires_at) values ('${uuid(1)}', 'b', 'n', 'r', false, 't', '', 1, now())`,
      );
      await rows.query(`insert into storage.deletion_queue (storage_key) values ('p')`);
      await rows.query(
        `insert into storage.upload_parts (upload_id, starts_at, size, storage_key) values ('${uuid(1)}', 0, 1, 'p')`,
      );
      expect(await removed(rows)).toBe('');
      await rows.query('delete from storage.upload_parts');
      expect(await removed(rows)).toBe('p');
    }),
  );

  test(
    'changing an object keeps its id, owner and creation time',
    rolledBack(async (rows) => {
      await bucket(rows);
      await rows.add('storage.objects', { ...object, owner: uuid(2) });
      await rows.query(
        `update storage.objects set id = '${uuid(9)}', owner = '${uuid(9)}', created_at = now(), updated_at = '2001-01-01'`,
      );
      expect(
        await rows.query(
          `select id, owner, created_at, updated_at > now() - interval '1 hour' as renewed from storage.objects`,
        ),
      ).toEqual([{ id: uuid(1), owner: uuid(2), created_at: new Date(AT), renewed: true }]);
    }),
  );

  test(
    'no caller changes or deletes an owner-only bucket',
    rolledBack(async (rows) => {
      await bucket(rows);
      const change = (role: string, text: string) =>
        rows
          .refusal(async () => {
            await rows.query('alter table storage.buckets disable row level security');
            await rows.query(`set local role ${role}`);
            await rows.query(text);
          })
          .then((refused) => refused?.code ?? null);
      for (const role of ['anon', 'authenticated', 'service_role'])
        for (const text of [
          `update storage.buckets set name = 'x' where id = 'ID'`,
          `delete from storage.buckets where id = 'ID'`,
        ]) {
          expect([role, text, await change(role, text.replace('ID', 'c'))]).toEqual([role, text, '42501']);
          expect([role, text, await change(role, text.replace('ID', 'b'))]).toEqual([role, text, null]);
        }
      expect(await change('postgres', `delete from storage.buckets where id = 'c'`)).toBeNull();
    }),
  );
});

/**
 * Triggers that tests cover. Those not covered by the tests above are covered elsewhere:
 * - writes through public.bookings: tests/policies and tests/api
 * - what pages receive: live.test.ts in this folder and tests/realtime
 * - closures: tests/api/closures.test.ts
 * - waiting and lost IDs: tests/api/id-review.test.ts and tests/operations/missing-ids.test.ts
 * - campaigns: tests/api/mailing-list.test.ts
 * - blocked customers: tests/api/customer-blocks.test.ts
 * - partial refunds: tests/operations/staff-refunds.test.ts
 * - prices and settings: prices.test.ts and settings.test.ts in this folder
 * - moves: tests/operations/staff-moves.test.ts and paid-moves.test.ts
 * - rules of codes: coupon-rules.test.ts in this folder; codes that give money away: tests/api/permissions.test.ts
 * - invitations: tests/api/staff-team.test.ts
 * - the wait list: tests/operations/waitlist.test.ts
 * - the lowest price of a room: tests/api/rooms.test.ts
 * - crews: tests/operations/crew.test.ts
 * - documents: tests/operations/paid-moves.test.ts; without their buyer: tests/api/account-ends.test.ts
 * - the provider's customer of an account that ends: tests/operations/card-payments.test.ts
 * - passes: tests/operating/wallet-updates.test.ts
 * - mails about changes of an account, and reserved addresses: account-notices.test.ts in this folder
 * - the locks of rooms: rooms.test.ts, and unknown locks: today.test.ts, both in this folder
 */
const TESTED =
  `users_email_changed users_create_profile users_inserted_confirmed users_sync_identities users_update_profile buckets_guarded objects_guarded
  objects_cancel_deletion objects_queue_deletion objects_replaced audit_logs_append_only audit_logs_no_truncate profiles_email profiles_supersede_verifications mailing_list_normalise count_joined count_changed count_deleted publish_campaign
  check_lock_of_room check_lock_of_room check_changed_lock_of_room forget_unknown_lock discount_codes_audit discount_codes_gifts discount_codes_normalise booking_confirmed_is_paid booking_redemption booking_clear_contact_phone end_move_holds booking_starts_pending
  booking_not_closed closure_not_booked booking_transition bookings_insert bookings_update payment_transition scheduled_emails_audit scheduled_emails_recipient audit_log_entries_append_only
  audit_log_entries_no_truncate upload_parts_cancel_deletion upload_parts_queue_deletion publish_booking publish_payment publish_verification publish_access_code publish_session publish_closure publish_reopened messages_sent
  booking_not_blocked booking_payer_not_blocked publish_review id_verifications_decided id_verifications_deleted id_verifications_mail_staff id_verifications_supersede_waiting
  sessions_ended users_closed sessions_assurance_changed recheck_role user_roles_permissions staff_permissions_lock
  staff_permissions_owner partial_refund_limit price_lists_history special_days_history studios_first_prices studios_opened discount_codes_half_hours business_settings_history
  booking_move_not_closed publish_dispute coupon_redemption_fits id_verifications_verified id_verifications_lost id_verifications_keep_name
  publish_team publish_invitation publish_factor_rule publish_ledger staff_permissions_invitations publish_incident booking_freed closed_span_freed publish_waitlist
  studios_hourly_rate booking_buyer_forgotten payment_documents refund_documents partial_refund_documents crew_follows_booking crew_forgotten publish_crew
  provider_customer_forgotten passes_follow_booking passes_forgotten
  recheck_permissions recheck_staff staff_permissions_secrets users_secrets publish_secret
  booking_order_frozen booking_order_whole payment_share_frozen users_announce users_email_reserved
  mfa_factors_announce webauthn_credentials_announce identities_announce`.split(/\s+/);

test(
  'minimum hours of a code are whole or half hours, when it is made and when they are changed',
  rolledBack(async ({ query, refusal }) => {
    const refused = async (text: string): Promise<unknown> => (await refusal(() => query(text)))?.constraint;
    const make = (hours: number): string =>
      `insert into public.discount_codes (code, discount_type, discount_value, min_hours) values ('HALF${hours * 10}', 'fixed', 5, ${hours})`;
    for (const hours of [0.5, 1, 1.5]) await query(make(hours));
    for (const hours of [0.1, 1.3, 1.04]) expect(await refused(make(hours))).toBe('discount_codes_half_hours');
    const change = `update public.discount_codes set min_hours = 1.3 where code = 'HALF10'`;
    expect(await refused(change)).toBe('discount_codes_half_hours');
  }),
);

test(
  'a room is open for the first time when it is made active, and that instant stays',
  rolledBack(async ({ query, value }) => {
    const id = '5a000000-0000-4000-8000-0000000000dd';
    const opened = () => value(`select opened_at from public.studios where id = '${id}'`);
    await query(`insert into public.studios (id, name, hourly_rate, active) values ('${id}', 'Drafted', 10, false)`);
    expect(await opened()).toBeNull();
    await query(`update public.studios set active = true where id = '${id}'`);
    const first = await opened();
    expect(first).toBeInstanceOf(Date);
    await query(`update public.studios set active = false where id = '${id}'`);
    await query(`update public.studios set active = true where id = '${id}'`);
    expect(await opened()).toEqual(first);
  }),
);

test(
  'every trigger is covered by a test',
  rolledBack(async ({ query }) => {
    const found = await query<{ name: string }>(
      'select tgname as name from pg_trigger where not tgisinternal and tgparentid = 0',
    );
    expect(found.map(({ name }) => name).toSorted()).toEqual([...TESTED, ...TOUCHED.map(([name]) => name)].toSorted());
  }),
);
