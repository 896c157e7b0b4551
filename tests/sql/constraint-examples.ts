import { DOOR_EVENTS } from '#rules/doors.ts';
import { firstSettings } from '#rules/business/first-settings.ts';
import { uuid } from '#tests/support/rows.ts';

/** Column values as JSON. */
export type Values = Readonly<Record<string, unknown>>;
/** Rows that the check refuses, and similar rows that it accepts. Each is merged with the table's base row. */
type CheckExample = { readonly bad: readonly Values[]; readonly good: readonly Values[] };
/** Pairs of rows that cannot exist together, and pairs that can. */
type UniqueExample = {
  readonly clash: readonly (readonly [Values, Values])[];
  readonly apart: readonly (readonly [Values, Values])[];
};
export type TableExamples = {
  /** A row that every constraint accepts. */
  readonly base: Values;
  readonly checks: Readonly<Record<string, CheckExample>>;
  readonly uniques?: Readonly<Record<string, UniqueExample>>;
};

const AT = '2031-03-01T00:00:00Z';
const LATER = '2031-03-01T01:00:00Z';
const text = (length: number): string => 'x'.repeat(length);
/** Returns an object whose JSON has this many bytes. `{"a": "…"}` adds nine bytes to its text. */
const json = (bytes: number): Values => ({ a: text(bytes - 9) });

/** Returns a hash in hexadecimal digits. */
const hash = (digit: string): string => digit.repeat(64);
/** The columns of a person who has joined a crew. */
const GUEST = { state: 'joined', name: 'n', terms_version: 't', joined_at: AT };
const REPORTED = { kind: 'problem', category: 'sound', customer_id: uuid(1) };
const LOST = { kind: 'lost', customer_id: uuid(1) };
const ANSWERED = { answer: 'a', answered_by: uuid(1), answered_at: AT };

const all = (column: string, values: readonly unknown[], more: Values = {}): Values[] =>
  values.map((value) => ({ ...more, [column]: value }));
const oneOf = (column: string, values: readonly string[], more: Values = {}): CheckExample => ({
  bad: [{ ...more, [column]: 'something else' }],
  good: all(column, values, more),
});
const atLeast = (column: string, least: number, step = 1): CheckExample => ({
  bad: [{ [column]: least - step }],
  good: [{ [column]: least }],
});
const atMost = (column: string, length: number): CheckExample => ({
  bad: [{ [column]: text(length + 1) }],
  good: [{ [column]: text(length) }],
});
const jsonAtMost = (column: string, bytes: number): CheckExample => ({
  bad: [{ [column]: json(bytes + 1) }],
  good: [{ [column]: json(bytes) }],
});
const between = (column: string, from: unknown[], good: unknown[], more: Values = {}): CheckExample => ({
  bad: all(column, from, more),
  good: all(column, good, more),
});
const week = (count: number): (boolean | null)[] => Array.from({ length: count }, () => true);
const prices = (count: number, each = 5_000): number[] => Array.from({ length: count }, () => each);
/** A complete list of numbers. A list is refused if it is shorter, longer, nested, numbered from 0 or contains a null. */
const filled = (column: string, count: number, low: number, high: number): CheckExample => {
  const list = (last: number | null, length = count): unknown[] => [...prices(length - 1, low), last];
  return {
    bad: all(column, [
      list(low - 1),
      list(high + 1),
      list(null),
      list(low, count - 1),
      list(low, count + 1),
      '{}',
      `{{${list(low).join()}}}`,
      `[0:${count - 1}]={${list(low).join()}}`,
    ]),
    good: all(column, [list(low), list(high)]),
  };
};
/** Returns one row per column, with a character that changes the direction of writing. */
const hidden = (...columns: readonly string[]): Values[] => columns.map((column) => ({ [column]: 'a\u202eb' }));
/** Two rows that agree in the columns of `same` clash, unless they differ in any column of `other`. */
const unique = (same: Values, other: Values, both: Values = {}): UniqueExample => ({
  clash: [
    [
      { ...both, ...same },
      { ...both, ...same },
    ],
  ],
  apart: Object.entries(other).map(([column, value]) => [
    { ...both, ...same },
    { ...both, ...same, [column]: value },
  ]),
});

export const AUTH: Readonly<Record<string, TableExamples>> = {
  'auth.users': {
    base: { id: uuid(1), aud: 'authenticated', email: 'a@example.com' },
    checks: {
      users_role_check: oneOf('role', ['authenticated']),
      users_email_check: between(
        'email',
        ['A@example.com', 'ab', `${text(247)}@mail.com`],
        [null, 'a@b', `${text(246)}@mail.com`],
      ),
      users_phone_check: between(
        'phone',
        ['0412345678', '123456', '1234567890123456', '61+412345'],
        [null, '1234567', '123456789012345'],
      ),
      users_raw_user_meta_data_check: jsonAtMost('raw_user_meta_data', 16384),
      users_email_change_confirm_status_check: between('email_change_confirm_status', [-1, 4], [0, 3]),
    },
    uniques: {
      users_email: {
        clash: [[{ id: uuid(1) }, { id: uuid(2) }]],
        apart: [
          [{ id: uuid(1), deleted_at: AT }, { id: uuid(2) }],
          [
            { id: uuid(1), deleted_at: AT },
            { id: uuid(2), deleted_at: AT },
          ],
          [{ id: uuid(1) }, { id: uuid(2), email: 'b@example.com' }],
        ],
      },
      users_phone: {
        clash: [
          [
            { id: uuid(1), phone: '61400000000', email: null },
            { id: uuid(2), phone: '61400000000', email: null },
          ],
        ],
        apart: [
          [
            { id: uuid(1), phone: '61400000000', email: null, deleted_at: AT },
            { id: uuid(2), phone: '61400000000', email: null, deleted_at: AT },
          ],
          [
            { id: uuid(1), phone: '61400000000', email: null },
            { id: uuid(2), phone: '61400000001', email: null },
          ],
        ],
      },
    },
  },
  'auth.sessions': {
    base: { user_id: uuid(1), created_at: AT, refreshed_at: AT, method: 'password' },
    checks: {
      sessions_method_check: between('method', ['a', 'Password', text(41)], ['sso/saml', 'ab', text(40)]),
      sessions_aal_check: oneOf('aal', ['aal1', 'aal2', 'aal3']),
      sessions_amr_check: { bad: [{ amr: {} }], good: [{ amr: [] }] },
    },
  },
  'auth.one_time_tokens': {
    base: {
      user_id: uuid(1),
      kind: 'signup',
      email: 'a@example.com',
      code_hash: 'c',
      token_hash: 't',
      expires_at: AT,
      created_at: AT,
    },
    checks: {
      one_time_tokens_kind_check: oneOf('kind', [
        'signup',
        'invite',
        'magiclink',
        'recovery',
        'email_change',
        'email_change_current',
        'reauthentication',
        'sms',
        'phone_change',
      ]),
      one_time_tokens_one_recipient: {
        bad: [{ email: null }, { phone: '61400000000' }],
        good: [{}, { email: null, phone: '61400000000' }],
      },
    },
    uniques: {
      one_time_tokens_token_hash_key: {
        clash: [[{ kind: 'signup' }, { kind: 'recovery' }]],
        apart: [[{ kind: 'signup' }, { kind: 'recovery', token_hash: 'u' }]],
      },
      one_time_tokens_user_id_kind_key: {
        clash: [[{}, { token_hash: 'u' }]],
        apart: [[{}, { token_hash: 'u', user_id: uuid(2) }]],
      },
    },
  },
  'auth.identities': {
    base: { user_id: uuid(1), provider: 'email', provider_id: 'a' },
    checks: {
      identities_provider_check: { bad: [{ provider: '' }], good: [{ provider: 'x' }] },
      identities_provider_id_check: { bad: [{ provider_id: '' }], good: [{ provider_id: 'x' }] },
    },
    uniques: { identities_provider_provider_id_key: unique({}, { provider: 'phone', provider_id: 'b' }) },
  },
  'auth.audit_log_entries': {
    base: { payload: { action: 'login' }, created_at: AT },
    checks: { audit_log_entries_payload_check: { bad: [{ payload: {} }], good: [{ payload: { action: null } }] } },
  },
  'auth.signup_attempts': {
    base: { id: uuid(1), user_id: uuid(1), data: {}, ip: '', created_at: AT },
    checks: { signup_attempts_data_check: jsonAtMost('data', 16384) },
  },
  'auth.mfa_factors': {
    base: { user_id: uuid(1), factor_type: 'totp', secret: 's', created_at: AT, updated_at: AT },
    checks: {
      mfa_factors_plain: { bad: hidden('friendly_name'), good: [{ friendly_name: 'Zoë’s phone' }] },
      mfa_factors_totp_has_secret: {
        bad: [{ secret: null }, { factor_type: 'phone', phone: '61400000000' }],
        good: [{}, { factor_type: 'phone', phone: '61400000000', secret: null }],
      },
      mfa_factors_phone_has_number: {
        bad: [{ phone: '61400000000' }, { factor_type: 'phone', secret: null }],
        good: [{}, { factor_type: 'phone', phone: '61400000000', secret: null }],
      },
      mfa_factors_credential_is_webauthn: {
        bad: [{ web_authn_credential: {} }],
        good: [{}, { factor_type: 'webauthn', secret: null, web_authn_credential: {} }],
      },
      mfa_factors_verified_has_credential: {
        bad: [{ factor_type: 'webauthn', secret: null, status: 'verified' }],
        good: [
          { status: 'verified' },
          { factor_type: 'webauthn', secret: null, status: 'unverified' },
          { factor_type: 'webauthn', secret: null, status: 'verified', web_authn_credential: {} },
        ],
      },
      mfa_factors_factor_type_check: { bad: [{ factor_type: 'other', secret: null }], good: [{}] },
      mfa_factors_status_check: oneOf('status', ['unverified', 'verified']),
      mfa_factors_friendly_name_check: atMost('friendly_name', 100),
    },
    uniques: {
      mfa_factors_user_id_friendly_name_key: unique({}, { user_id: uuid(2), friendly_name: 'b' }),
      mfa_factors_phone: {
        clash: [
          [
            { factor_type: 'phone', secret: null, phone: '61400000000' },
            { factor_type: 'phone', secret: null, phone: '61400000000', friendly_name: 'b' },
          ],
        ],
        apart: [
          [
            { factor_type: 'phone', secret: null, phone: '61400000000' },
            { factor_type: 'phone', secret: null, phone: '61400000001', friendly_name: 'b' },
          ],
        ],
      },
    },
  },
  'auth.webauthn_credentials': {
    base: {
      user_id: uuid(1),
      credential_id: 'c',
      public_key: '\\x00',
      aaguid: 'a',
      backup_eligible: false,
      backed_up: false,
      created_at: AT,
      updated_at: AT,
    },
    checks: {
      webauthn_credentials_plain: { bad: hidden('friendly_name'), good: [{ friendly_name: 'Zoë’s key' }] },
      webauthn_credentials_credential_id_check: between('credential_id', ['', text(1401)], ['x', text(1400)]),
      webauthn_credentials_sign_count_check: atLeast('sign_count', 0),
      webauthn_credentials_friendly_name_check: atMost('friendly_name', 120),
    },
    uniques: { webauthn_credentials_credential_id_key: unique({}, { credential_id: 'd' }) },
  },
  'auth.replaced_emails': {
    base: {
      id: uuid(1),
      user_id: uuid(1),
      email: 'a@example.com',
      factor_ids: [],
      replaced_at: AT,
      expires_at: AT,
    },
    checks: {
      replaced_emails_email_check: between(
        'email',
        ['A@example.com', 'ab', `${text(247)}@mail.com`],
        ['a@b', `${text(246)}@mail.com`],
      ),
    },
    uniques: {
      replaced_emails_token_hash_key: {
        clash: [[{ token_hash: 'h' }, { id: uuid(2), token_hash: 'h' }]],
        apart: [[{ token_hash: 'h' }, { id: uuid(2), token_hash: 'i' }]],
      },
    },
  },
  'auth.webauthn_challenges': {
    base: { user_id: uuid(1), challenge_type: 'registration', challenge: 'c', expires_at: AT, created_at: AT },
    checks: {
      webauthn_challenges_challenge_type_check: {
        bad: [{ challenge_type: 'other', user_id: null }],
        good: [{ challenge_type: 'authentication', user_id: null }, {}],
      },
      webauthn_challenges_registration_has_user: {
        bad: [{ user_id: null }, { challenge_type: 'authentication' }],
        good: [{}, { challenge_type: 'authentication', user_id: null }],
      },
    },
  },
  'auth.flow_state': {
    base: {
      id: uuid(1),
      provider_type: 'google',
      authentication_method: 'oauth',
      redirect_to: '/',
      created_at: AT,
      expires_at: AT,
    },
    checks: {
      flow_state_authentication_method_check: oneOf('authentication_method', ['oauth', 'sso/saml']),
      flow_state_code_challenge_method_check: oneOf('code_challenge_method', ['s256', 'plain'], {
        code_challenge: 'c',
      }),
      flow_state_challenge_has_method: {
        bad: [{ code_challenge: 'c' }, { code_challenge_method: 's256' }],
        good: [{}, { code_challenge: 'c', code_challenge_method: 's256' }],
      },
      flow_state_user_has_code: {
        bad: [{ user_id: uuid(1) }, { auth_code_hash: 'h' }],
        good: [{}, { user_id: uuid(1), auth_code_hash: 'h' }],
      },
    },
    uniques: {
      flow_state_state_hash_key: {
        clash: [[{ state_hash: 's' }, { id: uuid(2), state_hash: 's' }]],
        apart: [[{ state_hash: 's' }, { id: uuid(2), state_hash: 't' }]],
      },
      flow_state_auth_code_hash_key: {
        clash: [
          [
            { user_id: uuid(1), auth_code_hash: 's' },
            { id: uuid(2), user_id: uuid(1), auth_code_hash: 's' },
          ],
        ],
        apart: [
          [
            { user_id: uuid(1), auth_code_hash: 's' },
            { id: uuid(2), user_id: uuid(1), auth_code_hash: 't' },
          ],
        ],
      },
    },
  },
};

export const STORAGE: Readonly<Record<string, TableExamples>> = {
  'storage.buckets': {
    base: { id: 'b', name: 'b' },
    checks: {
      buckets_id_check: between(
        'id',
        ['', text(101), ' b', 'b ', '.', '..', 'a/b', 'ä'],
        [text(100), 'A b', "it's", '...'],
      ),
      buckets_file_size_limit_check: atLeast('file_size_limit', 1),
      buckets_max_signed_seconds_check: atLeast('max_signed_seconds', 1),
      buckets_retention_seconds_check: atLeast('retention_seconds', 1),
      buckets_owner_only_not_public: {
        bad: [{ owner_only: true, public: true }],
        good: [{ owner_only: true }, { public: true }, {}],
      },
    },
  },
  'storage.objects': {
    base: { bucket_id: 'b', name: 'n', storage_key: 'k', content_type: 'text/plain', size: 1 },
    checks: {
      objects_name_check: between('name', ['', text(1025)], ['x', text(1024)]),
      objects_size_check: atLeast('size', 0),
      objects_user_metadata_check: jsonAtMost('user_metadata', 8192),
      objects_content_encoding_check: between(
        'content_encoding',
        ['', 'GZIP', text(21), 'a, b, c, d, e'],
        [null, 'gzip', 'a, b, c,d'],
      ),
    },
    uniques: {
      objects_bucket_id_name_key: {
        clash: [[{}, { storage_key: 'l' }]],
        apart: [
          [{}, { storage_key: 'l', name: 'm' }],
          [{}, { storage_key: 'l', bucket_id: 'c' }],
        ],
      },
      objects_storage_key_key: {
        clash: [[{}, { name: 'm' }]],
        apart: [[{}, { name: 'm', storage_key: 'l' }]],
      },
    },
  },
  'storage.uploads': {
    base: {
      bucket_id: 'b',
      name: 'n',
      role: 'authenticated',
      replace: false,
      content_type: 'text/plain',
      described: '',
      length: 10,
      expires_at: AT,
    },
    checks: {
      uploads_name_check: between('name', ['', text(1025)], ['x', text(1024)]),
      uploads_user_metadata_check: jsonAtMost('user_metadata', 8192),
      uploads_described_check: atMost('described', 8192),
      uploads_received_within_length: between('received', [-1, 11], [0, 10]),
    },
  },
  'storage.upload_parts': {
    base: { upload_id: uuid(1), starts_at: 0, size: 1, storage_key: 'k' },
    checks: {
      upload_parts_starts_at_check: atLeast('starts_at', 0),
      upload_parts_size_check: atLeast('size', 1),
    },
    uniques: {
      upload_parts_storage_key_key: {
        clash: [[{}, { starts_at: 1 }]],
        apart: [[{}, { starts_at: 1, storage_key: 'l' }]],
      },
    },
  },
};

export const PUBLIC: Readonly<Record<string, TableExamples>> = {
  'public.audit_logs': {
    base: { action: 'create', resource_type: 'booking' },
    checks: {
      audit_logs_action_check: { bad: [{ action: '' }], good: [{}] },
      audit_logs_resource_type_check: { bad: [{ resource_type: '' }], good: [{}] },
    },
  },
  'public.profiles': {
    base: { id: uuid(1), user_id: uuid(1) },
    checks: {
      profiles_full_name_check: atMost('full_name', 100),
      profiles_email_check: atMost('email', 255),
      profiles_phone_check: atMost('phone', 20),
      profiles_dj_name_check: atMost('dj_name', 100),
      profiles_address_check: atMost('address', 500),
      profiles_plain: {
        bad: [...hidden('full_name', 'phone', 'dj_name', 'address'), { full_name: 'a\nb' }, { dj_name: 'a\tb' }],
        good: [{ full_name: 'Zoë 李 👩‍🎤', phone: '+61 400', dj_name: 'x', address: '1 Street\n\tSydney' }, {}],
      },
      profiles_date_of_birth_check: between(
        'date_of_birth',
        ['1899-12-31', '2100-01-02'],
        ['1900-01-01', '2100-01-01'],
      ),
      profiles_one_id: { bad: [{ user_id: uuid(2) }], good: [{}] },
    },
    // No two rows can break this rule alone: the primary key and profiles_one_id already forbid them.
  },
  'public.user_roles': {
    base: { user_id: uuid(1), role: 'user' },
    checks: { user_roles_role_check: oneOf('role', ['admin', 'user']) },
  },
  'public.staff_permissions': {
    base: { user_id: uuid(1), permission: 'money' },
    checks: {
      staff_permissions_permission_check: oneOf('permission', ['bookings', 'identity', 'money', 'settings', 'owner']),
    },
  },
  'public.terms_acceptances': {
    base: { user_id: uuid(1), version: '1' },
    checks: { terms_acceptances_version_check: atMost('version', 40) },
  },
  'public.mailing_list': {
    base: { email: 'a@example.com' },
    checks: {
      mailing_list_email_check: between('email', ['abc', '@bc', 'ab@', `a@${text(254)}`], ['a@b', `a@${text(253)}`]),
      mailing_list_bounce_reason_check: atMost('bounce_reason', 200),
      mailing_list_plain: { bad: [{ email: 'a\u202e@example.com' }, { email: 'a\nb@example.com' }], good: [{}] },
    },
    uniques: {
      mailing_list_email: { clash: [[{}, { email: ' A@example.com ' }]], apart: [[{}, { email: 'b@example.com' }]] },
    },
  },
  'private.mailing_list_count': {
    base: { singleton: true, subscribed: 0, gone: 0, bounced: 0 },
    checks: {
      mailing_list_count_singleton_check: { bad: [{ singleton: false }], good: [{}] },
      mailing_list_count_subscribed_check: atLeast('subscribed', 0, 1),
      mailing_list_count_gone_check: atLeast('gone', 0, 1),
      mailing_list_count_bounced_check: atLeast('bounced', 0, 1),
    },
  },
  'public.studios': {
    base: { name: 'One', hourly_rate: 49 },
    checks: {
      studios_name_check: between('name', ['', text(81)], ['x', text(80)]),
      studios_description_check: atMost('description', 1000),
      studios_hourly_rate_check: atLeast('hourly_rate', 0, 0.01),
      studios_open_hours: between(
        'open_hours',
        [week(167), week(169), week(168).with(3, null), '{}'],
        [week(168), week(168).map(() => false)],
      ),
      studios_title_check: atMost('title', 80),
      studios_summary_check: atMost('summary', 300),
      studios_photos: between(
        'photos',
        [['drawn-d'], ['../a.jpg'], [null], Array.from({ length: 9 }, () => 'drawn-a')],
        [[], ['drawn-a', `${uuid(1)}.jpg`]],
      ),
    },
    uniques: { studios_name_key: unique({}, { name: 'Two' }) },
  },
  'private.studio_lock': {
    base: { studio_id: uuid(1), lock_id: 'lock' },
    checks: { studio_lock_lock_id_check: between('lock_id', ['', text(121)], ['x', text(120)]) },
  },
  'private.studio_plug': {
    base: { studio_id: uuid(1), plug: 'Studio A' },
    checks: { studio_plug_plug_check: between('plug', ['', text(81)], ['x', text(80)]) },
  },
  'private.task_lease': {
    base: { name: 'a', holder: 'host:1:one', until: AT },
    checks: {
      task_lease_name_check: between('name', ['', text(101)], ['x', text(100)]),
      task_lease_holder_check: between('holder', ['', text(301)], ['x', text(300)]),
    },
  },
  'public.business_settings': {
    base: { settings: firstSettings },
    checks: {
      business_settings_valid: {
        bad: [
          ...[
            ['name', ['x', text(61), 'two\nlines', 1, null]],
            ['legalName', ['x', text(121)]],
            ['abn', ['5182475355', '5182475355x']],
            ['address', ['x', text(201)]],
            ['directions', [text(1001), 'a\tb']],
            ['directionsPhoto', ['../a.jpg', 'a.jpg', `${uuid(1)}.gif`, null]],
            ['directionsPhotoText', [text(201), 'two\nlines', null]],
            ['phone', [text(31)]],
            ['email', ['a@b', 'nobody.example.com', `${text(251)}@b.c`]],
            ['instagram', ['djstudios', `@${text(31)}`]],
            ['arrivalNotes', [text(1001)]],
            ['notice', [text(301), 'two\nlines']],
            ['holdMinutes', [4, 31, 7.5, '15', null]],
            ['horizonDays', [0, 366]],
            ['freeCancelHours', [-1, 337]],
            ['termsVersion', ['', text(41)]],
            ['terms', [[], [{ title: '', text: 'x' }], [{ title: 'x', text: text(5001) }], [{ title: 'x' }], 'x']],
            [
              'privacy',
              [Array.from({ length: 41 }, () => ({ title: 'x', text: 'x' })), [{ title: 'x', text: 'x', more: 1 }]],
            ],
            ['colour', ['red']],
          ].flatMap(([key, values]) =>
            (values as unknown[]).map((value) => ({ settings: { ...firstSettings, [key as string]: value } })),
          ),
          { settings: {} },
        ],
        good: [
          {
            settings: {
              ...firstSettings,
              abn: '51824753556',
              directions: `a\n${text(998)}`,
              directionsPhoto: `${uuid(1)}.jpg`,
              directionsPhotoText: text(200),
              notice: text(300),
              instagram: '',
              holdMinutes: 30,
              horizonDays: 365,
              freeCancelHours: 0,
            },
          },
        ],
      },
    },
  },
  'public.price_lists': {
    base: { studio_id: uuid(1), valid_from: '2031-01-01', hour_cents: prices(168), volume_percents: prices(24, 5) },
    checks: {
      price_lists_valid_from_check: between('valid_from', ['1999-12-31', '2200-01-01'], ['2000-01-01', '2199-12-31']),
      price_lists_hours: filled('hour_cents', 168, 100, 100_000),
      price_lists_percents: filled('volume_percents', 24, 0, 90),
    },
    uniques: { price_lists_once: unique({}, { studio_id: uuid(2), valid_from: '2031-01-02' }) },
  },
  'public.special_days': {
    base: {
      studio_id: uuid(1),
      name: 'Festival',
      first_day: '2031-01-01',
      last_day: '2031-01-03',
      hour_cents: prices(24),
    },
    checks: {
      special_days_name_check: between('name', ['', text(81)], ['x', text(80)]),
      special_days_first_day_check: {
        bad: [
          { first_day: '1999-12-31', last_day: '2000-01-01' },
          { first_day: '2200-01-01', last_day: '2200-01-01' },
        ],
        good: [
          { first_day: '2000-01-01', last_day: '2000-01-01' },
          { first_day: '2199-12-31', last_day: '2199-12-31' },
        ],
      },
      special_days_order: between('last_day', ['2030-12-31', '2032-01-03'], ['2031-01-01', '2032-01-02']),
      special_days_hours: filled('hour_cents', 24, 100, 100_000),
    },
    uniques: {
      special_days_apart: {
        clash: [
          [{}, { first_day: '2031-01-03', last_day: '2031-01-05' }],
          [{}, { first_day: '2031-01-02', last_day: '2031-01-02' }],
        ],
        apart: [
          [{}, { first_day: '2031-01-04', last_day: '2031-01-05' }],
          [{}, { studio_id: uuid(2) }],
        ],
      },
    },
  },
  'public.discount_codes': {
    base: { code: 'TEN', discount_type: 'percentage', discount_value: 10 },
    checks: {
      discount_codes_code_check: between('code', ['ten', ' TEN', '', 'X'.repeat(51)], ['X', 'X'.repeat(50)]),
      discount_codes_discount_type_check: oneOf('discount_type', ['percentage', 'fixed']),
      discount_codes_discount_value_check: {
        bad: [{ discount_value: 0 }, { discount_type: 'fixed', discount_value: 100000.01 }],
        good: [{ discount_value: 0.01 }, { discount_type: 'fixed', discount_value: 100000 }],
      },
      discount_codes_cents: {
        bad: [{ discount_value: 5.555 }, { discount_type: 'fixed', discount_value: 0.001 }],
        good: [{ discount_value: 5.55 }],
      },
      discount_codes_percentage_max: {
        bad: [{ discount_value: 100.01 }],
        good: [{ discount_value: 100 }, { discount_type: 'fixed', discount_value: 100.01 }],
      },
      discount_codes_description_check: atMost('description', 500),
      discount_codes_plain: {
        bad: [...hidden('description'), { code: 'T\u202eEN' }],
        good: [{ description: 'one\ntwo' }, {}],
      },
      discount_codes_min_hours_check: { bad: [{ min_hours: 0 }], good: [{ min_hours: 0.5 }] },
      discount_codes_max_uses_check: { bad: [{ max_uses: 0 }], good: [{ max_uses: 1 }] },
      discount_codes_per_user_limit_check: { bad: [{ per_user_limit: 0 }], good: [{ per_user_limit: 1 }] },
      discount_codes_current_uses_check: atLeast('current_uses', 0),
      discount_codes_never_over_used: {
        bad: [{ max_uses: 2, current_uses: 3 }],
        good: [{ max_uses: 2, current_uses: 2 }, { current_uses: 3 }],
      },
      discount_codes_customer_email_check: {
        bad: [{ customer_email: 'nobody' }, { customer_email: `${'x'.repeat(250)}@x.com` }],
        good: [{ customer_email: 'a@example.com' }],
      },
      discount_codes_weekdays_check: {
        bad: [{ weekdays: [7] }, { weekdays: [] }, { weekdays: [0, 1, 2, 3, 4, 5, 6] }],
        good: [{ weekdays: [0, 6] }],
      },
      discount_codes_from_hour_check: {
        bad: [{ from_hour: 24, until_hour: 5 }],
        good: [{ from_hour: 23, until_hour: 5 }],
      },
      discount_codes_until_hour_check: {
        bad: [{ from_hour: 5, until_hour: 25 }],
        good: [{ from_hour: 5, until_hour: 24 }],
      },
      discount_codes_hours: {
        bad: [{ from_hour: 5 }, { until_hour: 5 }, { from_hour: 5, until_hour: 5 }, { from_hour: 0, until_hour: 24 }],
        good: [{ from_hour: 22, until_hour: 6 }],
      },
      discount_codes_dates: {
        bad: [{ valid_from: '2031-01-02', expires_at: '2031-01-02' }],
        good: [{ valid_from: '2031-01-02', expires_at: '2031-01-03' }, { valid_from: '2031-01-02' }],
      },
    },
    uniques: { discount_codes_code: unique({}, { code: 'ELEVEN' }) },
  },
  'private.campaign': {
    base: {
      id: uuid(1),
      subject: 'News',
      body: 'Come.',
      per_minute: 60,
      made_by: uuid(1),
      created_at: '2031-01-01',
      next_at: '2031-01-01',
      tail_at: '2031-01-01',
    },
    checks: {
      campaign_subject_check: between('subject', ['', text(151), 'a\nb', 'a\rb'], [text(150)]),
      campaign_body_check: between('body', ['', text(10001)], ['x', text(10000)]),
      campaign_per_minute_check: { bad: [{ per_minute: 0 }, { per_minute: 601 }], good: [{ per_minute: 600 }] },
      campaign_recipients_check: atLeast('recipients', 0),
      campaign_sent_check: atLeast('sent', 0),
      campaign_bounced_check: atLeast('bounced', 0),
      campaign_skipped_check: atLeast('skipped', 0),
    },
    uniques: {
      campaign_running: {
        clash: [[{}, { id: uuid(2) }]],
        apart: [
          [{ stopped_at: '2031-01-01' }, { id: uuid(2) }],
          [{ finished_at: '2031-01-01' }, { id: uuid(2) }],
        ],
      },
    },
  },
  'private.campaign_recipient': {
    base: { campaign_id: uuid(1), subscription_id: uuid(2) },
    checks: {
      campaign_recipient_outcome_check: oneOf('outcome', ['sent', 'bounced', 'skipped'], { decided_at: '2031-01-01' }),
      campaign_recipient_decided: {
        bad: [{ outcome: 'sent' }, { decided_at: '2031-01-01' }],
        good: [{ outcome: 'sent', decided_at: '2031-01-01' }, {}],
      },
    },
  },
  'private.customer_note': {
    base: { id: uuid(1), user_id: uuid(2), note: 'x', made_by: uuid(3) },
    checks: { customer_note_note_check: between('note', ['', text(2001)], [text(2000)]) },
  },
  'private.customer_message': {
    base: { id: uuid(1), user_id: uuid(2), subject: 'x', body: 'x', made_by: uuid(3), created_at: '2031-01-01' },
    checks: {
      customer_message_subject_check: between('subject', ['', text(151), 'a\nb'], [text(150)]),
      customer_message_body_check: between('body', ['', text(10001)], [text(10000)]),
    },
  },
  'private.gift_batch': {
    base: { id: uuid(1), prefix: 'GIFT', size: 1, made_by: uuid(1) },
    checks: {
      gift_batch_prefix_check: { bad: [{ prefix: '' }, { prefix: 'a' }, { prefix: 'A-' }], good: [{ prefix: 'A1' }] },
      gift_batch_size_check: { bad: [{ size: 0 }, { size: 501 }], good: [{ size: 500 }] },
    },
  },
  'public.waitlist_entries': {
    base: { start_time: AT, end_time: '2031-03-01T01:00:00Z', user_id: uuid(1), studio_id: uuid(2), created_at: AT },
    checks: {
      waitlist_entries_state_check: oneOf('state', ['waiting', 'asked', 'used', 'passed', 'left', 'told'], {
        claim_until: AT,
      }),
      waitlist_entries_end_after_start: { bad: [{ end_time: AT }], good: [{}] },
      waitlist_entries_asked: { bad: [{ state: 'asked' }], good: [{ state: 'asked', claim_until: AT }] },
    },
    uniques: {
      waitlist_entries_once: {
        clash: [[{}, { state: 'asked', claim_until: AT }]],
        apart: [
          [{}, { user_id: uuid(3) }],
          [{}, { studio_id: uuid(3) }],
          [{}, { end_time: '2031-03-01T05:00:00Z' }],
          [{ state: 'left' }, {}],
        ],
      },
    },
  },
  'public.booking_drafts': {
    base: { user_id: uuid(1), data: {} },
    checks: { booking_drafts_data_check: jsonAtMost('data', 16384) },
  },
  'public.id_verifications': {
    base: { user_id: uuid(1), source: 'photo', verification_status: 'failed' },
    checks: {
      id_verifications_source_check: oneOf('source', ['photo', 'hosted', 'staff']),
      id_verifications_verification_status_check: {
        bad: [{ verification_status: 'something else' }],
        good: all('verification_status', ['verified', 'review', 'failed', 'superseded'], {
          verified_at: AT,
          expires_at: AT,
        }),
      },
      id_verifications_ai_raw_response_check: { bad: [{ ai_raw_response: {} }], good: [{}] },
      id_verifications_ai_confidence_score_check: between('ai_confidence_score', [-0.001, 1.001], [0, 1]),
      id_verifications_verified_has_dates: {
        bad: [
          { verification_status: 'verified' },
          { verification_status: 'verified', verified_at: AT },
          { verification_status: 'verified', expires_at: AT },
        ],
        good: [{ verification_status: 'verified', verified_at: AT, expires_at: AT }, {}],
      },
    },
  },
  'public.booking_access_codes': {
    base: { booking_id: uuid(1), attempt: 1, mode: 'bridge', starts_at: AT, ends_at: LATER, release_at: AT },
    checks: {
      booking_access_codes_attempt_check: atLeast('attempt', 1),
      booking_access_codes_status_check: oneOf('status', [
        'requested',
        'issued',
        'revoke_pending',
        'revoked',
        'failed',
      ]),
      booking_access_codes_mode_check: oneOf('mode', ['bridge', 'hourly', 'onetime']),
      access_code_ends_after_start: { bad: [{ ends_at: AT }], good: [{ ends_at: '2031-03-01T00:00:00.000001Z' }] },
    },
    uniques: {
      booking_access_codes_booking_id_attempt_key: {
        clash: [[{ mode: 'hourly' }, { mode: 'hourly' }]],
        apart: [
          [{ mode: 'hourly' }, { mode: 'hourly', attempt: 2 }],
          [{ mode: 'hourly' }, { mode: 'hourly', booking_id: uuid(2) }],
        ],
      },
      access_code_one_requested: {
        clash: [[{}, { attempt: 2 }]],
        apart: [
          [{}, { attempt: 2, mode: 'hourly' }],
          [{ mode: 'hourly' }, { attempt: 2, mode: 'hourly' }],
          [{ status: 'issued' }, { attempt: 2 }],
          [{ status: 'revoked' }, { attempt: 2 }],
          [{}, { attempt: 2, booking_id: uuid(2) }],
        ],
      },
      access_code_one_issued: {
        clash: [[{ status: 'issued' }, { attempt: 2, status: 'issued' }]],
        apart: [
          [
            { status: 'issued', mode: 'hourly' },
            { attempt: 2, status: 'issued', mode: 'hourly' },
          ],
          [{ status: 'revoke_pending' }, { attempt: 2, status: 'issued' }],
          [{ status: 'issued' }, { attempt: 2, status: 'issued', booking_id: uuid(2) }],
        ],
      },
    },
  },
  'public.scheduled_emails': {
    base: {
      booking_id: uuid(1),
      recipient_email: 'a@example.com',
      email_type: 'access_code',
      status: 'pending',
      scheduled_for: AT,
    },
    checks: {
      scheduled_emails_email_type_check: oneOf('email_type', ['access_code']),
      scheduled_emails_status_check: oneOf('status', ['pending', 'pending_immediate', 'sent', 'cancelled']),
    },
  },
};

const SLOT = { start_time: AT, end_time: LATER };
/** The second of two bookings of an order. */
const ORDERED = { id: uuid(9), order_id: uuid(8), order_place: 2, order_size: 2 };
/** The hold of new hours for a booking. */
const MOVE_HOLD = { moves_booking: uuid(9), move_number: 1, user_id: null };
const CLOSED = { closed_at: AT, close_reason: 'no' };

export const PRIVATE: Readonly<Record<string, TableExamples>> = {
  'private.closure': {
    base: { studio_id: uuid(1), start_time: AT, end_time: LATER, reason: 'x' },
    checks: {
      closure_ends_after_start: { bad: [{ end_time: AT }], good: [{}] },
      closure_at_most_a_year: {
        bad: [{ end_time: '2032-03-02T00:00:01Z' }],
        good: [{ end_time: '2032-03-01T00:00:00Z' }],
      },
      closure_reason_check: between('reason', ['', text(201)], [text(1), text(200)]),
      closure_weeks_check: between('weeks', [0, 5_201], [1, 5_200]),
    },
    uniques: {
      closure_once: unique({}, { studio_id: null, end_time: '2031-03-01T02:00:00Z', weeks: 2, reopened_at: AT }),
      closure_one_opening: {
        clash: [[{ opening: true }, { opening: true, start_time: LATER, end_time: '2031-03-01T02:00:00Z' }]],
        apart: [
          [{ opening: true }, { start_time: LATER, end_time: '2031-03-01T02:00:00Z' }],
          [{ opening: true }, { opening: true, studio_id: uuid(2) }],
        ],
      },
    },
  },
  'private.closed_span': {
    base: { closure_id: uuid(1), studio_id: uuid(1), start_time: AT, end_time: LATER },
    checks: { closed_span_ends_after_start: { bad: [{ end_time: AT }], good: [{}] } },
  },
  'private.booking': {
    base: {
      ...SLOT,
      reference: 'AAAA-0000',
      studio_id: uuid(1),
      studio_name: 'One',
      hold_expires_at: AT,
      total_hours: 1,
      base_cost_cents: 0,
      final_cost_cents: 0,
    },
    checks: {
      booking_plain: {
        bad: hidden('guest_name', 'guest_email', 'notes'),
        good: [{ guest_name: 'Zoë', guest_email: 'a@example.com', notes: 'one\ntwo' }, {}],
      },
      booking_reference_check: between('reference', ['AAAA0000', 'aaaa-0000', 'AAAA-00000'], ['ZZZZ-9999']),
      booking_status_check: {
        bad: [{ status: 'paid' }],
        good: [{ status: 'pending' }, { status: 'confirmed' }, { status: 'cancelled', cancel_reason: 'staff' }],
      },
      booking_cancel_reason_check: oneOf(
        'cancel_reason',
        [
          'hold_expired',
          'abandoned',
          'customer',
          'staff',
          'payment_failed',
          'slot_lost',
          'amount_mismatch',
          'replaced',
          'test_over',
        ],
        { status: 'cancelled' },
      ),
      booking_cancelled_has_reason: {
        bad: [{ cancel_reason: 'staff' }, { status: 'cancelled' }],
        good: [{}, { status: 'cancelled', cancel_reason: 'staff' }],
      },
      booking_total_hours_check: between('total_hours', [0, 24.1], [0.1, 24]),
      booking_base_cost_cents_check: atLeast('base_cost_cents', 0),
      booking_discount_cents_check: atLeast('discount_cents', 0),
      booking_coupon_discount_cents_check: atLeast('coupon_discount_cents', 0),
      booking_final_cost_cents_check: atLeast('final_cost_cents', 0),
      booking_notes_check: atMost('notes', 2000),
      booking_guest_email_check: atMost('guest_email', 255),
      booking_guest_name_check: between('guest_name', ['', text(201)], [null, text(1), text(200)]),
      booking_request_id_check: between('request_id', ['', text(101)], [null, text(1), text(100)]),
      booking_waived_cents_check: atLeast('waived_cents', 0),
      booking_owed_cents_check: between('owed_cents', [-50, 50], [-49, 0, 49]),
      booking_moves_check: atLeast('moves', 0),
      booking_no_show: {
        bad: [{ no_show_at: AT }, { no_show_by: uuid(2) }],
        good: [{}, { no_show_at: AT, no_show_by: uuid(2) }],
      },
      booking_move_hold: {
        bad: [
          { move_number: 1 },
          { ...MOVE_HOLD, move_number: null },
          { ...MOVE_HOLD, status: 'confirmed' },
          { ...MOVE_HOLD, guest_email: 'guest@example.com' },
        ],
        good: [{}, MOVE_HOLD],
      },
      booking_claim_is_no_booking: {
        bad: [{ waitlist_entry_id: uuid(2), status: 'confirmed' }],
        good: [{ waitlist_entry_id: uuid(2) }],
      },
      booking_early_is_no_booking: {
        bad: [
          { early: true, status: 'confirmed' },
          { early: true, waitlist_entry_id: uuid(2) },
          { ...ORDERED, early: true },
          { ...MOVE_HOLD, early: true },
        ],
        good: [{}, { early: true }],
      },
      booking_order: {
        bad: [
          { ...ORDERED, order_id: null },
          { ...ORDERED, order_place: null },
          { ...ORDERED, order_size: null },
          { ...ORDERED, order_place: 3 },
          { ...ORDERED, order_place: 1 },
          { ...ORDERED, order_id: uuid(9) },
          { ...ORDERED, waitlist_entry_id: uuid(2) },
          { ...ORDERED, ...MOVE_HOLD },
        ],
        good: [{}, ORDERED, { ...ORDERED, order_id: uuid(9), order_place: 1 }],
      },
      booking_order_place_check: { bad: [{ ...ORDERED, order_place: 0 }], good: [ORDERED] },
      booking_order_size_check: {
        bad: [{ ...ORDERED, order_size: 9 }],
        good: [ORDERED, { ...ORDERED, order_size: 8 }],
      },
      booking_contact_phone_check: between(
        'contact_phone',
        ['1234567', '1'.repeat(21), '04 1234 5678'],
        [null, '12345678', `+${'1'.repeat(20)}`],
      ),
      // A range that ends before it starts cannot be stored, so only an empty range breaks this rule.
      booking_ends_after_start: { bad: [{ end_time: AT }], good: [{ end_time: '2031-03-01T00:00:00.000001Z' }] },
      booking_at_most_a_day: {
        bad: [{ end_time: '2031-03-02T01:00:00.000001Z' }],
        good: [{ end_time: '2031-03-02T01:00:00Z' }],
      },
      booking_pending_expires: {
        bad: [{ hold_expires_at: null }],
        good: [{}, { status: 'confirmed', hold_expires_at: null }],
      },
      booking_coupon_terms: {
        bad: [{ coupon_terms: {} }],
        good: [{}, { coupon_terms: {}, coupon_id: uuid(1) }, { coupon_id: uuid(1) }],
      },
    },
    uniques: {
      booking_reference_key: {
        clash: [[{}, { studio_id: uuid(2) }]],
        apart: [[{}, { studio_id: uuid(2), reference: 'BBBB-0000' }]],
      },
      booking_request: {
        clash: [[{ request_id: 'r' }, { request_id: 'r', reference: 'BBBB-0000', studio_id: uuid(2) }]],
        apart: [
          [{ request_id: 'r' }, { request_id: 's', reference: 'BBBB-0000', studio_id: uuid(2) }],
          [{}, { reference: 'BBBB-0000', studio_id: uuid(2) }],
        ],
      },
      booking_by_order: {
        clash: [[ORDERED, { ...ORDERED, id: uuid(10), reference: 'BBBB-0000', studio_id: uuid(2) }]],
        apart: [
          [ORDERED, { ...ORDERED, id: uuid(10), reference: 'BBBB-0000', studio_id: uuid(2), order_id: uuid(11) }],
          [{}, { reference: 'BBBB-0000', studio_id: uuid(2) }],
        ],
      },
      booking_one_per_slot: {
        clash: [
          [{}, { reference: 'BBBB-0000' }],
          [{ status: 'confirmed' }, { reference: 'BBBB-0000' }],
          [{ status: 'confirmed' }, { reference: 'BBBB-0000', status: 'confirmed' }],
          [{}, { reference: 'BBBB-0000', start_time: '2031-03-01T00:59:59Z', end_time: '2031-03-01T02:00:00Z' }],
        ],
        apart: [
          [{}, { reference: 'BBBB-0000', studio_id: uuid(2) }],
          [{}, { reference: 'BBBB-0000', status: 'cancelled', cancel_reason: 'staff' }],
          [{}, { reference: 'BBBB-0000', start_time: LATER, end_time: '2031-03-01T02:00:00Z' }],
          [{ id: uuid(9) }, { ...MOVE_HOLD, reference: 'BBBB-0000' }],
        ],
      },
    },
  },
  'private.undo': {
    base: { booking_id: uuid(1), kind: 'cancel', before: {}, jobs: [], actor: uuid(2), created_at: AT, until: LATER },
    checks: {
      undo_kind_check: { bad: [{ kind: 'refund' }], good: [{}, { kind: 'move', move_number: 1 }] },
      undo_of_move: { bad: [{ kind: 'move' }, { move_number: 1 }], good: [{}, { kind: 'move', move_number: 1 }] },
    },
  },
  'private.document': {
    base: {
      number: 1,
      kind: 'invoice',
      booking_id: uuid(1),
      payment_id: uuid(1),
      cents: 100,
      content: {},
      issued_at: AT,
    },
    checks: {
      document_number_check: atLeast('number', 1),
      document_cents_check: atLeast('cents', 1),
      document_kind_check: { bad: [{ kind: 'refund' }], good: [{}, { kind: 'adjustment', refund_key: 're' }] },
      document_of_refund: { bad: [{ kind: 'adjustment' }, { refund_key: 're' }], good: [{}] },
    },
    uniques: {
      document_once: {
        clash: [[{}, { number: 2 }]],
        apart: [[{}, { number: 2, kind: 'adjustment', refund_key: 're' }]],
      },
    },
  },
  'private.booking_note': {
    base: { id: uuid(1), booking_id: uuid(1), note: 'n', made_by: uuid(2) },
    checks: { booking_note_note_check: between('note', ['', text(2001)], ['n', text(2000)]) },
  },
  'private.booking_move': {
    base: {
      booking_id: uuid(1),
      number: 1,
      from_studio_id: uuid(1),
      from_start_time: AT,
      from_end_time: LATER,
      studio_id: uuid(1),
      start_time: AT,
      end_time: LATER,
      final_cost_cents: 0,
      difference_cents: 0,
      refund_cents: 0,
      last_code: 0,
      actor: uuid(1),
      created_at: AT,
    },
    checks: {
      booking_move_number_check: atLeast('number', 1),
      booking_move_final_cost_cents_check: atLeast('final_cost_cents', 0),
      booking_move_refund_cents_check: atLeast('refund_cents', 0),
      booking_move_last_code_check: atLeast('last_code', 0),
    },
  },
  'private.customer_block': {
    base: { user_id: uuid(1), reason: 'Damage', blocked_by: uuid(1), blocked_at: AT },
    checks: { customer_block_reason_check: between('reason', ['', text(501)], [text(1), text(500)]) },
  },
  'private.ledger_check': {
    base: { month: '2031-03-01', started_by: uuid(1), started_at: AT },
    checks: {
      ledger_check_month_check: { bad: [{ month: '2031-03-02' }], good: [{ month: '2031-04-01' }] },
      ledger_check_sums_check: { bad: [{ sums: {} }], good: [{ sums: [] }] },
      ledger_check_order: { bad: [{ started_at: LATER, finished_at: AT }], good: [{ finished_at: AT }] },
    },
    uniques: { ledger_check_month_key: unique({}, { month: '2031-04-01' }) },
  },
  'private.ledger_difference': {
    base: { check_id: uuid(1), kind: 'payment', provider_id: 'pi_1', name: 'missing_here', at: AT, found_at: AT },
    checks: {
      ledger_difference_kind_check: oneOf('kind', ['payment', 'refund', 'dispute']),
      ledger_difference_provider_id_check: between('provider_id', ['', text(256)], [text(1), text(255)]),
      ledger_difference_name_check: oneOf('name', ['missing_here', 'missing_there', 'other_amount', 'other_currency']),
      ledger_difference_currency_check: between('currency', ['', text(11)], [text(1), text(10)]),
    },
  },
  'private.second_factor_rule': {
    base: { permission: 'money' },
    checks: {
      second_factor_rule_permission_check: oneOf('permission', ['bookings', 'identity', 'money', 'settings', 'owner']),
    },
  },
  'private.staff_invitation': {
    base: {
      email: 'sam@example.com',
      permissions: ['bookings'],
      token_hash: `\\x${'a'.repeat(64)}`,
      invited_by: uuid(1),
      created_at: AT,
      expires_at: AT,
    },
    checks: {
      staff_invitation_email_check: {
        bad: [{ email: 'Sam@example.com' }, { email: 'a@' }, { email: text(256) }],
        good: [{ email: 'a@b' }, { email: text(255) }],
      },
      staff_invitation_permissions_check: {
        bad: [{ permissions: [] }, { permissions: ['bookings', 'everything'] }],
        good: [{ permissions: ['bookings', 'identity', 'money', 'settings', 'owner'] }],
      },
      staff_invitation_token_hash_check: {
        bad: [{ token_hash: `\\x${'a'.repeat(62)}` }, { token_hash: `\\x${'a'.repeat(66)}` }],
        good: [],
      },
      staff_invitation_accepted: {
        bad: [{ accepted_at: AT }, { accepted_by: uuid(1) }],
        good: [{ accepted_at: AT, accepted_by: uuid(1) }],
      },
      staff_invitation_one_end: {
        bad: [{ accepted_at: AT, accepted_by: uuid(1), revoked_at: AT }],
        good: [{ revoked_at: AT }],
      },
    },
    uniques: {
      staff_invitation_token_hash_key: {
        clash: [[{}, { email: 'lee@example.com' }]],
        apart: [[{}, { email: 'lee@example.com', token_hash: `\\x${'b'.repeat(64)}` }]],
      },
      staff_invitation_open: {
        clash: [[{}, { token_hash: `\\x${'b'.repeat(64)}` }]],
        apart: [
          [{}, { email: 'lee@example.com', token_hash: `\\x${'b'.repeat(64)}` }],
          [{ revoked_at: AT }, { token_hash: `\\x${'b'.repeat(64)}` }],
          [{ accepted_at: AT, accepted_by: uuid(1) }, { token_hash: `\\x${'b'.repeat(64)}` }],
        ],
      },
    },
  },
  'private.id_review': {
    base: { verification_id: uuid(1), decision: 'approve', decided_by: uuid(1), decided_at: AT },
    checks: {
      id_review_decision_check: oneOf('decision', ['approve', 'refuse', 'retake']),
      id_review_reason_check: between('reason', ['', text(501)], [text(1), text(500)]),
    },
  },
  'private.coupon_redemption': {
    base: { booking_id: uuid(1), coupon_id: uuid(1) },
    checks: { coupon_redemption_state_check: oneOf('state', ['reserved', 'committed', 'returned']) },
  },
  'private.payment': {
    base: { booking_id: uuid(1), attempt: 1, kind: 'card', key: 'k', amount_cents: 100 },
    checks: {
      payment_attempt_check: atLeast('attempt', 1),
      payment_move_number_check: atLeast('move_number', 1),
      payment_kind_check: {
        bad: [{ kind: 'cash', amount_cents: 0 }],
        good: [{ kind: 'free', amount_cents: 0 }, { kind: 'elsewhere', state: 'paid' }, {}],
      },
      payment_elsewhere_by_hand: {
        bad: [
          { kind: 'elsewhere' },
          { kind: 'elsewhere', state: 'refund_pending' },
          { kind: 'elsewhere', state: 'paid', session_id: 's' },
          { kind: 'elsewhere', state: 'paid', payment_intent_id: 'p' },
        ],
        good: [
          { kind: 'elsewhere', state: 'paid' },
          { kind: 'elsewhere', state: 'refunded' },
        ],
      },
      payment_state_check: oneOf('state', [
        'intent',
        'open',
        'processing',
        'failed',
        'expired',
        'paid',
        'refund_pending',
        'refunded',
        'refund_failed',
        'refund_manual',
        'disputed',
        'dispute_lost',
      ]),
      payment_card: {
        bad: [{ card: '' }, { kind: 'free', amount_cents: 0, card: 'pm_1' }],
        good: [{ card: 'pm_1' }, {}],
      },
      payment_amount_cents_check: atLeast('amount_cents', 0),
      payment_currency_check: oneOf('currency', ['aud']),
      payment_free_costs_nothing: {
        bad: [{ kind: 'free' }],
        good: [{ kind: 'free', amount_cents: 0 }, { amount_cents: 0 }],
      },
      payment_paid_cents_check: atLeast('paid_cents', 0),
      payment_refunded_cents_check: atLeast('refunded_cents', 0),
      payment_dispute_status_check: oneOf('dispute_status', ['open', 'won', 'lost'], { dispute_id: 'd' }),
      payment_dispute: {
        bad: [{ dispute_id: 'd' }, { dispute_status: 'open' }],
        good: [{}, { dispute_id: 'd', dispute_status: 'open' }],
      },
    },
    uniques: {
      payment_key_key: {
        clash: [[{}, { booking_id: uuid(2) }]],
        apart: [[{}, { booking_id: uuid(2), key: 'l' }]],
      },
      payment_booking_id_attempt_key: {
        clash: [[{ state: 'expired' }, { key: 'l' }]],
        apart: [
          [{ state: 'expired' }, { key: 'l', attempt: 2 }],
          [{ state: 'expired' }, { key: 'l', booking_id: uuid(2) }],
        ],
      },
      payment_one_open: {
        clash: ['intent', 'open', 'processing'].map((state) => [{ state }, { key: 'l', attempt: 2, state: 'intent' }]),
        apart: [
          [{ state: 'expired' }, { key: 'l', attempt: 2 }],
          [{}, { key: 'l', attempt: 2, booking_id: uuid(2) }],
        ],
      },
      payment_session: {
        clash: [[{ session_id: 's' }, { booking_id: uuid(2), key: 'l', session_id: 's' }]],
        apart: [
          [{ session_id: 's' }, { booking_id: uuid(2), key: 'l', session_id: 't' }],
          [{ session_id: 's' }, { booking_id: uuid(2), key: 'l', session_id: 's', share_of: uuid(3) }],
        ],
      },
      payment_one_paid: {
        clash: ['paid', 'disputed'].map((state) => [{ state }, { key: 'l', attempt: 2, state: 'paid' }]),
        apart: [
          [{ state: 'refunded' }, { key: 'l', attempt: 2, state: 'paid' }],
          [{ state: 'paid' }, { key: 'l', attempt: 2, state: 'paid', booking_id: uuid(2) }],
          [{ state: 'paid' }, { key: 'l', attempt: 2, state: 'paid', move_number: 1 }],
        ],
      },
    },
  },
  'private.outbox': {
    base: { kind: 'k', subject_id: uuid(1), due_at: AT },
    checks: {
      outbox_closed_with_reason: { bad: [{ closed_at: AT }, { close_reason: 'no' }], good: [{}, CLOSED] },
      outbox_recipient_check: between('recipient', ['', text(321)], [text(1), text(320)]),
      outbox_request_id_is_short: { bad: [{ request_id: text(65) }], good: [{}, { request_id: text(64) }] },
    },
    uniques: { outbox_kind_subject_id_dedupe_key: unique({}, { kind: 'l', subject_id: uuid(2), dedupe: 'd' }) },
  },
  'private.identity_session': {
    base: { id: 'i', user_id: uuid(1) },
    checks: { identity_session_status_check: oneOf('status', ['open', 'decided']) },
  },
  'private.access_secret': {
    base: { code_id: uuid(1), lock_id: 'l', variant: 0, starts_at: AT, ends_at: LATER },
    checks: { access_secret_variant_check: atLeast('variant', 0) },
    uniques: {
      access_secret_variant: {
        clash: [[{ variant: 1 }, { variant: 1, code_id: uuid(2) }]],
        apart: [
          [{}, { code_id: uuid(2) }],
          [{ variant: 1 }, { variant: 2, code_id: uuid(2) }],
          [{ variant: 1 }, { variant: 1, code_id: uuid(2), lock_id: 'm' }],
          [{ variant: 1 }, { variant: 1, code_id: uuid(2), starts_at: '2031-02-01T00:00:00Z' }],
          [{ variant: 1 }, { variant: 1, code_id: uuid(2), ends_at: '2031-04-01T00:00:00Z' }],
        ],
      },
      access_secret_pin: {
        clash: [[{ pin_fingerprint: 'p' }, { pin_fingerprint: 'p', code_id: uuid(2) }]],
        apart: [
          [{}, { code_id: uuid(2) }],
          [{ pin_fingerprint: 'p' }, { pin_fingerprint: 'p', code_id: uuid(2), live: false }],
          [
            { pin_fingerprint: 'p', live: false },
            { pin_fingerprint: 'p', code_id: uuid(2), live: false },
          ],
          [{ pin_fingerprint: 'p' }, { pin_fingerprint: 'q', code_id: uuid(2) }],
          [{ pin_fingerprint: 'p' }, { pin_fingerprint: 'p', code_id: uuid(2), lock_id: 'm' }],
        ],
      },
    },
  },
  'private.cancellation': {
    base: { booking_id: uuid(1), refund: 'part', refund_cents: 1, reason: 'r', actor: uuid(1) },
    checks: {
      cancellation_refund_check: {
        bad: [{ refund: 'half' }],
        good: [{ refund: 'full' }, { refund: 'part' }, { refund: 'none', refund_cents: 0 }],
      },
      cancellation_refund_cents_check: {
        bad: [{ refund: 'full', refund_cents: -1 }],
        good: [{ refund: 'full', refund_cents: 0 }],
      },
      cancellation_refund: {
        bad: [{ refund_cents: 0 }, { refund: 'none' }],
        good: [{}, { refund: 'none', refund_cents: 0 }, { refund: 'full', refund_cents: 0 }],
      },
      cancellation_reason_check: between('reason', ['', 'r'.repeat(501)], ['r', 'r'.repeat(500)]),
    },
  },
  'private.calendar_feed': {
    base: { studio_id: uuid(1), token_hash: 'a'.repeat(64), created_by: uuid(2), created_at: AT },
    checks: {
      calendar_feed_token_hash_check: {
        bad: [{ token_hash: 'a'.repeat(63) }, { token_hash: 'A'.repeat(64) }],
        good: [{ token_hash: '0'.repeat(64) }],
      },
    },
    uniques: {
      calendar_feed_one: {
        clash: [[{}, { token_hash: 'b'.repeat(64) }]],
        apart: [[{}, { token_hash: 'b'.repeat(64), revoked_at: AT }]],
      },
      calendar_feed_token: {
        clash: [[{}, { revoked_at: AT }]],
        apart: [[{}, { revoked_at: AT, token_hash: 'b'.repeat(64) }]],
      },
    },
  },
  'private.light_state': {
    base: { plug: 'Studio A', wanted: true, changed_at: '2031-03-01T00:00:00Z' },
    checks: { light_state_plug_check: between('plug', [text(81)], ['', text(80)]) },
    uniques: { light_state_plug_key: unique({}, { plug: 'Studio B' }) },
  },
  'private.rating': {
    base: { booking_id: uuid(1), user_id: uuid(1), score: 4, words: null, created_at: AT, changed_at: AT },
    checks: {
      rating_score_check: between('score', [0, 6], [1, 5]),
      rating_words_check: between('words', ['', text(501)], ['w', text(500), null]),
    },
  },
  'private.incident': {
    base: { studio_id: null, description: 'd', reporter: uuid(1), request_id: 'r', created_at: AT },
    checks: {
      incident_description_check: between('description', ['', text(2001)], ['d', text(2000)]),
      incident_state_check: oneOf('state', ['open', 'in_progress', 'done']),
      incident_kind_check: {
        bad: [{ kind: 'something else' }],
        good: [{ kind: 'room' }, { kind: 'door' }, REPORTED, LOST],
      },
      incident_category_check: oneOf(
        'category',
        ['equipment', 'sound', 'lights', 'cleanliness', 'access', 'other'],
        REPORTED,
      ),
      incident_photos_check: {
        bad: [{ photos: ['a', 'b', 'c', 'd'] }, { photos: [null] }],
        good: [{ photos: [] }, { photos: ['a', 'b', 'c'] }],
      },
      incident_answer_check: between('answer', ['', text(2001)], ['a', text(2000)], ANSWERED),
      incident_outcome_check: oneOf('outcome', ['found', 'returned', 'not_found'], LOST),
      incident_of_customer: {
        bad: [{ ...REPORTED, customer_id: null }, { customer_id: uuid(1) }],
        good: [REPORTED, LOST, {}],
      },
      incident_category: {
        bad: [
          { ...REPORTED, category: null },
          { ...LOST, category: 'sound' },
        ],
        good: [REPORTED, LOST],
      },
      incident_outcome: { bad: [{ ...REPORTED, outcome: 'found' }], good: [{ ...LOST, outcome: 'found' }] },
      incident_answered: {
        bad: [{ ...ANSWERED, answered_at: null }, { ...ANSWERED, answered_by: null }, { answered_at: AT }],
        good: [ANSWERED, {}],
      },
      incident_request_id_check: between('request_id', ['', text(101)], ['r', text(100), null]),
      incident_changed: {
        bad: [{ changed_by: uuid(1) }, { changed_at: AT }],
        good: [{ changed_by: uuid(1), changed_at: AT }],
      },
    },
    uniques: {
      incident_once: {
        clash: [[{}, {}]],
        apart: [
          [{}, { request_id: 's' }],
          [{}, { reporter: uuid(2) }],
          [{ request_id: null }, { request_id: null }],
        ],
      },
      incident_door_open: {
        clash: [
          [
            { kind: 'door', booking_id: uuid(1), request_id: null },
            { kind: 'door', booking_id: uuid(1), request_id: null, state: 'in_progress' },
          ],
        ],
        apart: [
          [
            { kind: 'door', booking_id: uuid(1), request_id: null },
            { kind: 'door', booking_id: uuid(1), request_id: null, state: 'done' },
          ],
          [
            { kind: 'door', booking_id: uuid(1), request_id: null },
            { kind: 'room', booking_id: uuid(1), request_id: null },
          ],
          [
            { kind: 'door', booking_id: uuid(1), request_id: null },
            { kind: 'door', booking_id: uuid(2), request_id: null },
          ],
        ],
      },
    },
  },
  'private.crew_member': {
    base: { booking_id: uuid(1), token_hash: hash('a'), created_at: AT },
    checks: {
      crew_member_token_hash_check: between('token_hash', [text(64), hash('a').slice(1), hash('A')], [hash('b')]),
      crew_member_state_check: {
        bad: [{ state: 'something else' }],
        good: [{}, GUEST, { state: 'revoked', revoked_at: AT }],
      },
      crew_member_name_check: {
        bad: ['', text(41)].map((name) => ({ ...GUEST, name })),
        good: ['l', text(40)].map((name) => ({ ...GUEST, name })),
      },
      crew_member_terms_version_check: {
        bad: ['', text(41)].map((version) => ({ ...GUEST, terms_version: version })),
        good: ['l', text(40)].map((version) => ({ ...GUEST, terms_version: version })),
      },
      crew_member_request_id_check: between('request_id', ['', text(101)], ['r', text(100)]),
      crew_member_joined: {
        bad: [
          { ...GUEST, state: 'invited' },
          { ...GUEST, name: null },
          { ...GUEST, terms_version: null },
          { ...GUEST, joined_at: null },
          { state: 'joined' },
          { name: 'n' },
        ],
        good: [{}, GUEST, { ...GUEST, state: 'revoked', revoked_at: AT }, { state: 'revoked', revoked_at: AT }],
      },
      crew_member_revoked: {
        bad: [{ state: 'revoked' }, { revoked_at: AT }],
        good: [{ state: 'revoked', revoked_at: AT }],
      },
    },
    uniques: {
      crew_member_token: { clash: [[{}, {}]], apart: [[{}, { token_hash: hash('b') }]] },
      crew_member_once: {
        clash: [[{ request_id: 'r' }, { request_id: 'r', token_hash: hash('b') }]],
        apart: [
          [{}, { token_hash: hash('b') }],
          [{ request_id: 'r' }, { request_id: 's', token_hash: hash('b') }],
          [{ request_id: 'r' }, { request_id: 'r', token_hash: hash('b'), booking_id: uuid(2) }],
        ],
      },
    },
  },
  'private.wallet_pass': {
    base: { booking_id: uuid(1), apple_at: AT },
    checks: {
      wallet_pass_made: { bad: [{ apple_at: null }], good: [{}, { google_at: AT }, { apple_at: null, google_at: AT }] },
    },
    uniques: {},
  },
  'private.pass_device': {
    base: { booking_id: uuid(1), device_hash: hash('a'), push_token: hash('b'), created_at: AT },
    checks: {
      pass_device_device_hash_check: between('device_hash', [text(64), hash('a').slice(1), hash('A')], [hash('b')]),
      pass_device_push_token_check: between(
        'push_token',
        [text(64), hash('a').slice(33), hash('A'), 'a'.repeat(201)],
        [hash('a').slice(32), 'a'.repeat(200)],
      ),
    },
    uniques: {},
  },
  'private.crew_code': {
    base: {
      crew_member_id: uuid(1),
      lock_id: 'l',
      starts_at: AT,
      ends_at: LATER,
      pin_encrypted: 'p',
      pin_fingerprint: 'f',
      created_at: AT,
    },
    checks: {
      crew_code_lock_id_check: between('lock_id', ['', text(61)], ['l', text(60)]),
      crew_code_status_check: oneOf('status', ['requested', 'issued', 'revoking', 'revoked']),
      crew_code_ends_after_start: { bad: [{ ends_at: AT }], good: [{ ends_at: LATER }] },
    },
    uniques: {
      crew_code_one_live: {
        clash: [
          [{}, { pin_fingerprint: 'g' }],
          [{ status: 'issued' }, { pin_fingerprint: 'g' }],
        ],
        apart: [
          [{ status: 'revoking' }, { pin_fingerprint: 'g' }],
          [{ status: 'revoked' }, { pin_fingerprint: 'g' }],
          [{}, { pin_fingerprint: 'g', crew_member_id: uuid(2) }],
        ],
      },
      crew_code_pin: {
        clash: [
          [{}, { crew_member_id: uuid(2) }],
          [{ status: 'revoking' }, { crew_member_id: uuid(2) }],
        ],
        apart: [
          [{ status: 'revoked' }, { crew_member_id: uuid(2) }],
          [{}, { crew_member_id: uuid(2), pin_fingerprint: 'g' }],
          [{}, { crew_member_id: uuid(2), lock_id: 'm' }],
        ],
      },
    },
  },
  'private.staff_code': {
    base: {
      studio_id: uuid(1),
      lock_id: 'l',
      name: 'n',
      starts_at: AT,
      ends_at: LATER,
      variant: 0,
      made_by: uuid(1),
      request_id: 'r',
      created_at: AT,
    },
    checks: {
      staff_code_lock_id_check: between('lock_id', ['', text(61)], ['l', text(60)]),
      staff_code_name_check: between('name', ['', text(61)], ['l', text(60)]),
      staff_code_status_check: oneOf('status', ['requested', 'issued', 'revoking', 'revoked']),
      staff_code_variant_check: atLeast('variant', 0),
      staff_code_request_id_check: between('request_id', ['', text(101)], ['r', text(100)]),
      staff_code_ends_after_start: { bad: [{ ends_at: AT }], good: [{ ends_at: LATER }] },
    },
    uniques: {
      staff_code_once: {
        clash: [[{}, {}]],
        apart: [
          [{}, { request_id: 's' }],
          [{}, { made_by: uuid(2) }],
        ],
      },
      staff_code_variant: {
        clash: [[{ variant: 1 }, { variant: 1, request_id: 's' }]],
        apart: [
          [{}, { request_id: 's' }],
          [{ variant: 1 }, { variant: 2, request_id: 's' }],
          [{ variant: 1 }, { variant: 1, request_id: 's', lock_id: 'm' }],
          [{ variant: 1 }, { variant: 1, request_id: 's', ends_at: '2031-03-01T02:00:00Z' }],
        ],
      },
    },
  },
  'private.shown_secret': {
    base: {
      kind: 'staff-code',
      subject_id: uuid(1),
      studio_id: uuid(1),
      shown_to: uuid(1),
      permission: 'bookings',
      shown_at: AT,
    },
    checks: {
      shown_secret_kind_check: oneOf('kind', ['staff-code', 'booking-code', 'calendar-feed']),
      shown_secret_permission_check: oneOf('permission', ['bookings', 'identity', 'money', 'settings', 'owner']),
      shown_secret_ended_when_lost: { bad: [{ ended_at: AT }], good: [{ ended_at: AT, lost_at: AT }, { lost_at: AT }] },
    },
    uniques: {
      shown_secret_once: {
        clash: [[{}, {}]],
        apart: [
          [{}, { kind: 'booking-code' }],
          [{}, { subject_id: uuid(2) }],
          [{}, { shown_to: uuid(2) }],
        ],
      },
    },
  },
  'private.verified_name': {
    base: { verification_id: uuid(1), account_name: 'Ada Lovelace' },
    checks: {},
  },
  'private.id_withdrawal': {
    base: { verification_id: uuid(1), reason: 'r', withdrawn_by: uuid(2), withdrawn_at: AT },
    checks: { id_withdrawal_reason_check: between('reason', ['', text(501)], ['r', text(500)]) },
  },
  'private.missing_id': {
    base: { booking_id: uuid(1), raised_at: AT, kept_at: AT, kept_by: uuid(2), kept_reason: 'r' },
    checks: {
      missing_id_kept_reason_check: between('kept_reason', ['', text(501)], ['r', text(500)]),
      missing_id_kept: {
        bad: [{ kept_at: null }, { kept_by: null }, { kept_reason: null }],
        good: [{}, { kept_at: null, kept_by: null, kept_reason: null }],
      },
    },
  },
  'private.kept_dispute': {
    base: { booking_id: uuid(1), dispute_id: 'd', kept_at: AT, kept_by: uuid(2) },
    checks: {
      kept_dispute_dispute_id_check: between('dispute_id', ['', text(256)], ['d', text(255)]),
    },
  },
  'private.lock_state': {
    base: { studio_id: uuid(1), lock_id: 'l', checked_at: '2031-03-01T00:00:00Z' },
    checks: {
      lock_state_lock_id_check: between('lock_id', ['', text(61)], ['l', text(60)]),
      lock_state_battery_percent_check: between('battery_percent', [-1, 101], [0, 100, null]),
      lock_state_offline: {
        bad: [{ online: false }, { offline_since: AT }, { online: true, offline_since: AT }],
        good: [{}, { online: true }, { online: false, offline_since: AT }],
      },
      lock_state_low: { bad: [{ low_since: AT }], good: [{ low_since: AT, battery_percent: 9 }] },
    },
  },
  'private.lock_event': {
    base: { lock_id: 'l', kind: 'code', at: AT },
    checks: {
      lock_event_lock_id_check: between('lock_id', ['', text(61)], ['l', text(60)]),
      lock_event_kind_check: oneOf('kind', DOOR_EVENTS),
    },
    uniques: {
      lock_event_once: {
        clash: [
          [{}, {}],
          [{ code_id: uuid(2) }, { code_id: uuid(2) }],
        ],
        apart: [
          [{}, { lock_id: 'm' }],
          [{}, { kind: 'locked' }],
          [{}, { at: '2031-03-01T00:00:01Z' }],
          [{}, { code_id: uuid(2) }],
          [{}, { actor: uuid(2) }],
        ],
      },
    },
  },
  'private.dispute': {
    base: {
      id: 'd',
      payment_id: uuid(1),
      status: 'open',
      provider_status: 'needs_response',
      needs_response: false,
      amount_cents: 1,
      opened_at: AT,
    },
    checks: {
      dispute_status_check: oneOf('status', ['open', 'won', 'lost']),
      dispute_provider_status_check: between('provider_status', ['', text(61)], ['l', text(60)]),
      dispute_reason_check: between('reason', ['', text(61)], ['l', text(60), null]),
      dispute_amount_cents_check: atLeast('amount_cents', 0),
      dispute_open_needs_response: {
        bad: [{ needs_response: true, status: 'won' }],
        good: [{ needs_response: true }, { status: 'won' }],
      },
      dispute_won_at: {
        bad: [{ won_at: AT }, { won_at: AT, status: 'lost' }],
        good: [{ status: 'won' }, { won_at: AT, status: 'won' }],
      },
    },
  },
  'private.provider_customer': {
    base: { user_id: uuid(1), customer_id: 'cus_1' },
    checks: {},
    uniques: {
      provider_customer_customer_id_key: {
        clash: [[{}, { user_id: uuid(2) }]],
        apart: [[{}, { user_id: uuid(2), customer_id: 'cus_2' }]],
      },
    },
  },
  'private.partial_refund': {
    base: { payment_id: uuid(1), request_key: 'k', amount_cents: 1, reason: 'r', actor: uuid(1) },
    checks: {
      partial_refund_request_key_check: between('request_key', ['', 'k'.repeat(601)], ['k', 'k'.repeat(600)]),
      partial_refund_amount_cents_check: atLeast('amount_cents', 1),
      partial_refund_reason_check: between('reason', ['', 'r'.repeat(501)], ['r', 'r'.repeat(500)]),
      partial_refund_state_check: oneOf('state', ['pending', 'done', 'covered', 'manual']),
      partial_refund_first_key_check: between('first_key', ['', 'k'.repeat(101)], ['k', 'k'.repeat(100)]),
    },
    uniques: {
      partial_refund_payment_id_request_key_key: {
        clash: [[{}, { amount_cents: 2 }]],
        apart: [
          [{}, { request_key: 'l' }],
          [{}, { payment_id: uuid(2) }],
        ],
      },
    },
  },
  'private.refund': {
    base: { id: 'r', payment_id: uuid(1), amount_cents: 1, status: 'pending', ours: true },
    checks: {
      refund_amount_cents_check: atLeast('amount_cents', 1),
      refund_status_check: oneOf('status', ['pending', 'requires_action', 'succeeded', 'canceled', 'failed']),
    },
  },
};
