import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRows, type Rows, type TestRows, uuid } from '#tests/support/rows.ts';

let database: TestRows;
beforeAll(async () => {
  database = await openRows();
}, 120_000);
afterAll(() => database.close());

const rolledBack = (work: (rows: Rows) => Promise<void>) => (): Promise<void> => database.rolledBack(work);
const PERSON = uuid(1);
const EMAIL = 'a@example.com';
const AT = '2026-03-01T00:00:00Z';

/**
 * The mail that the database sends when a column changes: by table and column, the change of a row and the expected mail. Null means that
 * the change neither opens nor closes a way into the account.
 */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, readonly [change: string, mail: string] | null>>>> = {
  'auth.users': {
    email: [`email = 'b@example.com'`, 'email_replaced'],
    phone: [`phone = '61400000001'`, 'account_changed phone_changed'],
    encrypted_password: [`encrypted_password = 'new'`, 'password_changed'],
    id: null,
    aud: null,
    role: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    confirmation_sent_at: null,
    recovery_sent_at: null,
    reauthentication_sent_at: null,
    invited_at: null,
    email_change: null,
    email_change_sent_at: null,
    email_change_confirm_status: null,
    phone_change: null,
    phone_change_sent_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: null,
    raw_user_meta_data: null,
    is_anonymous: null,
    is_sso_user: null,
    banned_until: null,
    deleted_at: null,
    created_at: null,
    updated_at: null,
  },
  'auth.mfa_factors': {
    factor_type: [`factor_type = 'phone', secret = null, phone = '61400000002'`, 'account_changed factor_changed'],
    status: [`status = 'unverified'`, 'account_changed factor_changed'],
    secret: [`secret = 'new'`, 'account_changed factor_changed'],
    phone: [`factor_type = 'phone', secret = null, phone = '61400000002'`, 'account_changed factor_changed'],
    web_authn_credential: [
      `factor_type = 'webauthn', secret = null, web_authn_credential = '{"publicKey": "k"}'`,
      'account_changed factor_changed',
    ],
    // A foreign key refers to the account, and a row never moves to another account.
    user_id: null,
    id: null,
    friendly_name: null,
    last_step: null,
    last_challenged_at: null,
    created_at: null,
    updated_at: null,
  },
  'auth.webauthn_credentials': {
    credential_id: [`credential_id = 'new'`, 'account_changed passkey_added'],
    public_key: [`public_key = '\\x01'`, 'account_changed passkey_added'],
    user_id: null,
    id: null,
    aaguid: null,
    sign_count: null,
    transports: null,
    backup_eligible: null,
    backed_up: null,
    friendly_name: null,
    last_used_at: null,
    created_at: null,
    updated_at: null,
  },
  'auth.identities': {
    provider: [`provider = 'github'`, 'account_changed identity_added'],
    provider_id: [`provider_id = 'new'`, 'account_changed identity_added'],
    user_id: null,
    id: null,
    identity_data: null,
    email: null,
    last_sign_in_at: null,
    created_at: null,
    updated_at: null,
  },
};
/** Tables whose rows open an account. All other tables of the schema hold sessions, codes and notes. */
const OTHER_TABLES = [
  'auth.audit_log_entries',
  'auth.flow_state',
  'auth.mfa_challenges',
  'auth.one_time_tokens',
  'auth.replaced_emails',
  'auth.sessions',
  'auth.signup_attempts',
  'auth.used_proofs',
  'auth.webauthn_challenges',
];

/**
 * Adds an account with a confirmed address, a password, a phone, a second factor, a passkey and an identity, and deletes the mails so far.
 */
async function addAccount(rows: Rows): Promise<void> {
  await rows.add('auth.users', {
    id: PERSON,
    aud: 'authenticated',
    role: 'authenticated',
    email: EMAIL,
    phone: '61400000000',
    encrypted_password: 'hash',
    email_confirmed_at: AT,
    raw_app_meta_data: { providers: ['email'] },
    raw_user_meta_data: {},
    email_change_confirm_status: 0,
    is_anonymous: false,
    is_sso_user: false,
    created_at: AT,
    updated_at: AT,
  });
  await rows.query(
    `insert into auth.mfa_factors (user_id, factor_type, status, secret, created_at, updated_at) values ($1, 'totp', 'verified', 's', $2, $2)`,
    [PERSON, AT],
  );
  await rows.query(
    `insert into auth.webauthn_credentials (user_id, credential_id, public_key, aaguid, backup_eligible, backed_up, created_at, updated_at)
     values ($1, 'c', '\\x00', 'a', false, false, $2, $2)`,
    [PERSON, AT],
  );
  await rows.query(`insert into auth.identities (user_id, provider, provider_id) values ($1, 'google', 'g')`, [PERSON]);
  await rows.query('delete from private.outbox');
}

/** Returns the queued mails, as `recipient kind change`. */
const mails = async ({ query }: Rows): Promise<string[]> =>
  (
    await query<{ mail: string }>(
      `select concat_ws(' ', recipient, substring(kind from 'account-mail.(.*)'), payload ->> 'change') as mail
       from private.outbox order by 1`,
    )
  ).map(({ mail }) => mail);

test(
  'every column of the tables that open an account is listed with its mail or as one that opens nothing, and so is every table',
  rolledBack(async ({ query }) => {
    const found = await query<{ table: string; column: string }>(
      `select format('%s.%s', table_schema, table_name) as table, column_name as column from information_schema.columns
       where table_schema = 'auth' and table_name in (select relname from pg_class where relkind = 'r')`,
    );
    const tables = [...new Set(found.map((row) => row.table))].toSorted();
    expect(tables).toEqual([...Object.keys(COLUMNS), ...OTHER_TABLES].toSorted());
    for (const [table, columns] of Object.entries(COLUMNS))
      expect([table, found.filter((row) => row.table === table).map((row) => row.column)]).toEqual([
        table,
        expect.arrayContaining(Object.keys(columns)),
      ]);
    for (const { table, column } of found)
      if (COLUMNS[table] !== undefined)
        expect([table, column, Object.hasOwn(COLUMNS[table], column)]).toEqual([table, column, true]);
  }),
);

const announced = Object.entries(COLUMNS).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, notice]) =>
    notice === null ? [] : [{ table, column, change: notice[0], mail: notice[1] }],
  ),
);

test.each(announced)('a change of $column of $table mails $mail', ({ table, change, mail }) =>
  database.rolledBack(async (rows) => {
    await addAccount(rows);
    await rows.query(
      `update ${table} set ${change} where ${table === 'auth.identities' ? `provider = 'google'` : 'true'}`,
    );
    expect(await mails(rows)).toContain(`${EMAIL} ${mail}`);
  }),
);

describe('rows that come and go', () => {
  const cases: readonly (readonly [statement: string, mail: string])[] = [
    [`delete from auth.mfa_factors`, 'factor_removed'],
    [`delete from auth.webauthn_credentials`, 'passkey_removed'],
    [`delete from auth.identities where provider = 'google'`, 'identity_removed'],
    [
      `insert into auth.mfa_factors (user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
       values ('${PERSON}', 'b', 'totp', 'verified', 's', now(), now())`,
      'factor_added',
    ],
    [
      `insert into auth.webauthn_credentials (user_id, credential_id, public_key, aaguid, backup_eligible, backed_up, created_at, updated_at)
       values ('${PERSON}', 'd', '\\x00', 'a', false, false, now(), now())`,
      'passkey_added',
    ],
    [
      `insert into auth.identities (user_id, provider, provider_id) values ('${PERSON}', 'github', 'h')`,
      'identity_added',
    ],
    [`update auth.users set phone = null`, 'phone_removed'],
    [`update auth.users set encrypted_password = null`, 'password_removed'],
    [`select private.remove_phone('${PERSON}', now())`, 'phone_removed'],
  ];
  test.each(cases)('%s mails the present address', (statement, mail) =>
    database.rolledBack(async (rows) => {
      await addAccount(rows);
      await rows.query(statement);
      expect(await mails(rows)).toEqual([`${EMAIL} account_changed ${mail}`]);
    }),
  );

  test(
    'the first identity of an account is mailed when the account has a password, and not when it is how the account was made',
    rolledBack(async (rows) => {
      await addAccount(rows);
      await rows.query('delete from auth.identities');
      const addIdentity = async (): Promise<string[]> => {
        await rows.query('delete from private.outbox');
        await rows.query(
          `insert into auth.identities (user_id, provider, provider_id) values ('${PERSON}', 'github', 'h')`,
        );
        return mails(rows);
      };
      expect(await addIdentity()).toEqual([`${EMAIL} account_changed identity_added`]);
      await rows.query('delete from auth.identities');
      await rows.query('update auth.users set encrypted_password = null');
      expect(await addIdentity()).toEqual([]);
    }),
  );

  test(
    'an unverified second factor is mailed once it is verified, and no mail tells of an unverified one that goes',
    rolledBack(async (rows) => {
      await addAccount(rows);
      await rows.query(
        `insert into auth.mfa_factors (user_id, friendly_name, factor_type, secret, created_at, updated_at)
         values ($1, 'b', 'totp', 's', now(), now()), ($1, 'c', 'totp', 's', now(), now())`,
        [PERSON],
      );
      await rows.query(`delete from auth.mfa_factors where friendly_name = 'c'`);
      expect(await mails(rows)).toEqual([]);
      await rows.query(`update auth.mfa_factors set status = 'verified' where friendly_name = 'b'`);
      expect(await mails(rows)).toEqual([`${EMAIL} account_changed factor_added`]);
    }),
  );
});

describe('what is not mailed', () => {
  const silent: readonly (readonly [name: string, statement: string])[] = [
    [
      'a new hash of the same password',
      `update auth.users set encrypted_password = 'other' from (select set_config('auth.same_secret', 'on', true)) x`,
    ],
    [
      'a secret that is encrypted with another key',
      `update auth.mfa_factors set secret = 'other' from (select set_config('auth.same_secret', 'on', true)) x`,
    ],
    ['a sign-in with a passkey', `update auth.webauthn_credentials set sign_count = 2, last_used_at = now()`],
    ['a sign-in with a second factor', `update auth.mfa_factors set last_step = 2, status = 'verified'`],
    [
      'a sign-in by another provider',
      `update auth.identities set identity_data = '{"a": 1}' where provider = 'google'`,
    ],
    ['the end of the account', `delete from auth.users`],
    [
      'the anonymised account',
      `update auth.users set deleted_at = now(), email = null, phone = null, encrypted_password = null`,
    ],
  ];
  test.each(silent)('%s sends no mail', (_name, statement) =>
    database.rolledBack(async (rows) => {
      await addAccount(rows);
      await rows.query(statement);
      expect(await mails(rows)).toEqual([]);
    }),
  );

  test(
    'an address that was never confirmed gets no mail, is not reserved and cannot undo anything',
    rolledBack(async (rows) => {
      await addAccount(rows);
      await rows.query('update auth.users set email_confirmed_at = null');
      await rows.query(`update auth.users set email = 'b@example.com', encrypted_password = 'new', phone = null`);
      await rows.query('delete from auth.webauthn_credentials');
      expect(await mails(rows)).toEqual([]);
      expect(await rows.query('select from auth.replaced_emails')).toEqual([]);
    }),
  );
});

describe('a replaced address', () => {
  const OTHER = uuid(2);
  const replace = async (rows: Rows): Promise<void> => {
    await addAccount(rows);
    await rows.query(`update auth.users set email = 'b@example.com' where id = $1`, [PERSON]);
  };
  const addOther = (rows: Rows, email: string): Promise<unknown> =>
    rows.query(`insert into auth.users (id, email) values ($1, $2)`, [OTHER, email]);

  test(
    'is reserved for 72 hours, for new accounts and for changes of others, and its own account may have it back',
    rolledBack(async (rows) => {
      await replace(rows);
      const taken = { code: '23505', constraint: 'users_email' };
      expect(await rows.refusal(() => addOther(rows, EMAIL))).toMatchObject(taken);
      await addOther(rows, 'c@example.com');
      const change = (id: string) => () => rows.query('update auth.users set email = $2 where id = $1', [id, EMAIL]);
      expect(await rows.refusal(change(OTHER))).toMatchObject(taken);
      expect(
        await rows.query(
          `select expires_at - replaced_at = interval '72 hours' as days, email from auth.replaced_emails`,
        ),
      ).toEqual([{ days: true, email: EMAIL }]);
      await change(PERSON)();
      await rows.query(
        `update auth.replaced_emails set expires_at = now() - interval '1 second' where email = 'b@example.com'`,
      );
      await rows.query(`update auth.users set email = 'b@example.com' where id = $1`, [OTHER]);
    }),
  );

  test(
    'ends with its account',
    rolledBack(async (rows) => {
      await replace(rows);
      await rows.query(`update auth.users set deleted_at = now(), email = null where id = $1`, [PERSON]);
      expect(await rows.query('select from auth.replaced_emails')).toEqual([]);
      await addOther(rows, EMAIL);
    }),
  );

  test(
    'keeps the phone and the verified second factors of the account as they were',
    rolledBack(async (rows) => {
      await replace(rows);
      const factor = await rows.value('select id from auth.mfa_factors');
      expect(await rows.query('select phone, factor_ids from auth.replaced_emails')).toEqual([
        { phone: '61400000000', factor_ids: [factor] },
      ]);
    }),
  );

  test(
    'holds nothing until its undo begins, then for a day at most and never past its end',
    rolledBack(async (rows) => {
      await replace(rows);
      const begun = (hours: number): Promise<unknown> =>
        rows.value(`select private.is_undo_begun($1, now() + make_interval(hours => $2))`, [PERSON, hours]);
      expect(await begun(0)).toBe(false);
      await rows.query('update auth.replaced_emails set begun_at = now()');
      expect([await begun(0), await begun(23), await begun(24)]).toEqual([true, true, false]);
      await rows.query(`update auth.replaced_emails set begun_at = now() + interval '60 hours'`);
      expect([await begun(71), await begun(72)]).toEqual([true, false]);
    }),
  );
});
