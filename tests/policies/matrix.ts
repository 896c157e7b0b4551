import { randomUUID } from 'node:crypto';
import { firstSettings } from '#rules/business/first-settings.ts';
import { STUDIO_A, STUDIO_B } from '#tests/support/test-server.ts';

/**
 * The expected outcomes: who may do what with which row. `matrix.test.ts` runs every cell through `/rest/v1` and fails for every relation,
 * column or function of the database that is not listed here.
 */
export const PRINCIPALS = [
  'guest',
  'owner',
  'other',
  'unverified',
  'revoked',
  'expired',
  'colleague',
  'admin',
  'service',
] as const;
export type Principal = (typeof PRINCIPALS)[number];
export const VERBS = ['select', 'head', 'insert', 'upsert', 'update', 'delete'] as const;
export type Verb = (typeof VERBS)[number];
/**
 * `shown`: the whole row is returned. `masked`: only its public columns are returned. `none`: this caller does not see the row. `done`: the
 * write would succeed. `refused`: error 42501. `impossible`: refused for every caller, because the relation does not allow it. `unknown`:
 * the token is invalid.
 */
export type Outcome = 'shown' | 'masked' | 'none' | 'done' | 'refused' | 'impossible' | 'unknown';
type Allowed = Partial<Record<Principal, readonly string[]>>;
export type Values = Readonly<Record<string, unknown>>;

export type Expectation = {
  /** All columns, so that a new column must be added here deliberately. */
  readonly columns: string;
  /** The verbs that each role has a grant for, on the whole relation or on some of its columns. */
  readonly grants: { readonly anon: string; readonly authenticated: string; readonly service_role: string };
  /** The columns that `authenticated` may write, if these are not all of them. */
  readonly writes?: { readonly insert?: string; readonly update?: string };
  readonly guestWrites?: { readonly insert?: string };
  /** The rows of the test by name: the key that finds each, and a similar row to insert. */
  readonly rows: Readonly<Record<string, { readonly key: Values; readonly fresh: Values }>>;
  readonly change: Values;
  /** The rows that each principal sees. Principals not named here see none. */
  readonly sees: Allowed;
  readonly masked?: Allowed;
  readonly adds: Allowed;
  readonly changes: Allowed;
  readonly removes: Allowed;
  /** Exceptions to the rules above. */
  readonly but?: (principal: Principal, verb: Verb, row: string) => Outcome | null;
  /** Statements that create the rows. `$id` of a row comes from its key. */
  readonly make: readonly { readonly text: string; readonly values: readonly unknown[] }[];
};

export type People = Readonly<Record<'owner' | 'other' | 'unverified' | 'colleague' | 'admin', string>>;

const ALL = 'select insert update delete';
/** The columns of a discount code that staff write. */
const CODE_FIELDS = [
  'code discount_type discount_value description min_hours max_uses per_user_limit expires_at active',
  'valid_from customer_email weekdays from_hour until_hour',
].join(' ');
/** Returns the same rows for all principals. */
const everybody = (rows: readonly string[]): Allowed =>
  Object.fromEntries(PRINCIPALS.map((principal) => [principal, rows]));
const BOTH = ['owner', 'other'] as const;
/** People have their own rows; the owner of the business and the service have all rows. */
const OWN_AND_ADMIN: Allowed = { owner: ['owner'], other: ['other'], admin: BOTH, service: BOTH };
/** Like `OWN_AND_ADMIN`, and all rows for a colleague: staff with the permission `money` only. */
const OWN_AND_STAFF: Allowed = { ...OWN_AND_ADMIN, colleague: BOTH };

/** Builds the matrix for these people. Ids are new on each call, so that runs do not collide. */
export function writeMatrix(people: People): Readonly<Record<string, Expectation>> {
  return {
    ...aboutPeople(people),
    ...aboutRooms(people),
    ...aboutPrices(),
    ...aboutBookings(people),
  };
}

function aboutPeople({ owner, other, colleague, admin }: People): Record<string, Expectation> {
  const log = randomUUID();
  const mailId = randomUUID();
  const [mine, theirs] = [randomUUID(), randomUUID()];
  return {
    profiles: {
      columns:
        'id user_id full_name email phone dj_name address date_of_birth created_at updated_at remind_by_email remind_by_text thank_by_email',
      grants: { anon: '', authenticated: 'select update', service_role: ALL },
      writes: {
        update: 'full_name email phone dj_name address date_of_birth remind_by_email remind_by_text thank_by_email',
      },
      rows: {
        owner: { key: { user_id: owner }, fresh: { id: owner, user_id: owner } },
        other: { key: { user_id: other }, fresh: { id: other, user_id: other } },
      },
      change: { dj_name: 'Changed' },
      // Staff read the profiles of others through a separate view for each permission.
      sees: { owner: ['owner'], other: ['other'], service: BOTH },
      adds: {},
      changes: { owner: ['owner'], other: ['other'], service: BOTH },
      removes: { service: BOTH },
      // Every account already has a profile, so an insert collides and an upsert updates.
      but: (principal, verb) =>
        principal !== 'service' ? null : verb === 'insert' ? 'impossible' : verb === 'upsert' ? 'done' : null,
      make: [],
    },
    ...Object.fromEntries(
      (
        [
          ['customer_contacts', 'user_id full_name dj_name email phone created_at'],
          ['customer_identities', 'user_id full_name date_of_birth address'],
        ] as const
      ).map(([name, columns]) => [
        name,
        {
          columns,
          grants: { anon: '', authenticated: 'select', service_role: 'select' },
          rows: {
            owner: { key: { user_id: owner }, fresh: { user_id: owner } },
            other: { key: { user_id: other }, fresh: { user_id: other } },
          },
          change: { full_name: 'Changed' },
          sees: { admin: BOTH, service: BOTH },
          adds: {},
          changes: {},
          removes: {},
          make: [],
        },
      ]),
    ),
    staff_names: {
      columns: 'user_id full_name',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: {
        admin: { key: { user_id: admin }, fresh: { user_id: owner } },
        owner: { key: { user_id: owner }, fresh: { user_id: owner } },
      },
      change: { full_name: 'Changed' },
      sees: { colleague: ['admin'], admin: ['admin'], service: ['admin'] },
      adds: {},
      changes: {},
      removes: {},
      make: [],
    },
    user_roles: {
      columns: 'user_id role created_at',
      grants: { anon: '', authenticated: 'select', service_role: ALL },
      rows: {
        owner: { key: { user_id: owner }, fresh: { user_id: owner, role: 'admin' } },
        other: { key: { user_id: other }, fresh: { user_id: other, role: 'admin' } },
      },
      change: { role: 'admin' },
      sees: { owner: ['owner'], other: ['other'], service: BOTH },
      adds: {},
      changes: { service: BOTH },
      removes: { service: BOTH },
      but: (principal, verb) =>
        principal !== 'service' ? null : verb === 'insert' ? 'impossible' : verb === 'upsert' ? 'done' : null,
      make: [
        {
          text: `insert into public.user_roles (user_id, role) values ($1::uuid, 'user'), ($2::uuid, 'user')`,
          values: [owner, other],
        },
      ],
    },
    staff_permissions: {
      columns: 'user_id permission created_at',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: {
        admin: { key: { user_id: admin }, fresh: { user_id: owner, permission: 'owner' } },
        colleague: { key: { user_id: colleague }, fresh: { user_id: colleague, permission: 'owner' } },
      },
      change: { permission: 'owner' },
      sees: { colleague: ['colleague'], admin: ['admin', 'colleague'], service: ['admin', 'colleague'] },
      adds: {},
      changes: {},
      removes: {},
      make: [],
    },
    terms_acceptances: {
      columns: 'user_id version accepted_at',
      grants: { anon: '', authenticated: 'select', service_role: ALL },
      rows: {
        owner: { key: { user_id: owner, version: 'matrix' }, fresh: { user_id: owner, version: 'fresh' } },
        other: { key: { user_id: other, version: 'matrix' }, fresh: { user_id: other, version: 'fresh' } },
      },
      change: { accepted_at: '2020-01-01T00:00:00Z' },
      sees: OWN_AND_STAFF,
      adds: { service: BOTH },
      changes: { service: BOTH },
      removes: { service: BOTH },
      make: [
        {
          text: `insert into public.terms_acceptances (user_id, version) values ($1::uuid, 'matrix'), ($2::uuid, 'matrix')`,
          values: [owner, other],
        },
      ],
    },
    id_verifications: {
      columns: `id user_id source image_path verification_status failure_reasons verified_at expires_at created_at extracted_full_name
        extracted_first_name extracted_middle_name extracted_last_name extracted_dob extracted_expiry_date is_over_18 age_at_verification
        is_expired is_nsw_license name_match_status name_match_details profile_dob dob_matches ai_raw_response ai_confidence_score`,
      grants: { anon: '', authenticated: 'select', service_role: ALL },
      rows: {
        owner: { key: { id: mine }, fresh: { user_id: owner, source: 'staff', verification_status: 'review' } },
        other: { key: { id: theirs }, fresh: { user_id: other, source: 'staff', verification_status: 'review' } },
      },
      change: { verification_status: 'failed' },
      sees: OWN_AND_ADMIN,
      adds: { service: BOTH },
      changes: { service: BOTH },
      removes: { service: BOTH },
      make: [
        {
          text: `insert into public.id_verifications (id, user_id, source, verification_status)
            values ($1::uuid, $2::uuid, 'photo', 'review'), ($3::uuid, $4::uuid, 'photo', 'review')`,
          values: [mine, owner, theirs, other],
        },
      ],
    },
    user_verifications: {
      columns: 'id user_id',
      grants: { anon: '', authenticated: 'select', service_role: ALL },
      rows: {
        owner: { key: { user_id: owner }, fresh: { id: randomUUID(), user_id: owner } },
        other: { key: { user_id: other }, fresh: { id: randomUUID(), user_id: other } },
      },
      change: { user_id: owner },
      sees: OWN_AND_ADMIN,
      adds: {},
      changes: {},
      removes: {},
      // A view that sorts and filters cannot be written.
      but: (principal, verb) =>
        principal === 'revoked' || principal === 'expired' || verb === 'select' || verb === 'head'
          ? null
          : 'impossible',
      make: [],
    },
    audit_logs: {
      columns: 'id created_at actor action resource_type resource_id details',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: { any: { key: { id: log }, fresh: { action: 'x', resource_type: 'y' } } },
      change: { action: 'z' },
      sees: { admin: ['any'], service: ['any'] },
      adds: {},
      changes: {},
      removes: {},
      make: [
        {
          text: `insert into public.audit_logs (id, actor, action, resource_type) values ($1::uuid, $2::uuid, 'matrix', 'row')`,
          values: [log, owner],
        },
      ],
    },
    mailing_list: {
      columns: 'id email consented_at unsubscribed_at created_at bounced_at bounce_reason',
      grants: { anon: 'insert', authenticated: 'insert', service_role: ALL },
      writes: { insert: 'email' },
      guestWrites: { insert: 'email' },
      rows: { any: { key: { id: mailId }, fresh: { email: `${randomUUID()}@example.com` } } },
      change: { email: `${randomUUID()}@example.com` },
      sees: { service: ['any'] },
      adds: everybody(['any']),
      changes: { service: ['any'] },
      removes: { service: ['any'] },
      make: [
        {
          text: 'insert into public.mailing_list (id, email) values ($1::uuid, $2)',
          values: [mailId, `${mailId}@example.com`],
        },
      ],
    },
  };
}

/**
 * Every caller reads prices, but only the service reads those of a hidden studio. Prices can be written only through the functions of the
 * database.
 */
function aboutPrices(): Record<string, Expectation> {
  const [hidden, secret] = [randomUUID(), randomUUID()];
  const hide = (id: string) => ({
    text: `insert into public.studios (id, name, hourly_rate, active) values ($1::uuid, $2, 10, false)`,
    values: [id, `Hidden ${id.slice(0, 8)}`],
  });
  const hours = (count: number): number[] => Array.from({ length: count }, () => 5_000);
  const festival = { name: 'Matrix', first_day: '2031-01-01', last_day: '2031-01-02' };
  const fresh = { valid_from: '2031-01-01', hour_cents: hours(168), volume_percents: hours(24).map(() => 5) };
  const rows = {
    open: { key: { studio_id: STUDIO_A }, fresh: { ...fresh, studio_id: STUDIO_A } },
    closed: { key: { studio_id: hidden }, fresh: { ...fresh, studio_id: hidden } },
  };
  const days = { name: 'Fresh', first_day: '2031-02-01', last_day: '2031-02-02', hour_cents: hours(24) };
  const readOnly = {
    grants: { anon: 'select', authenticated: 'select', service_role: 'select' },
    sees: { ...everybody(['open']), service: ['open', 'closed'] },
    adds: {},
    changes: {},
    removes: {},
  };
  return {
    price_lists: {
      ...readOnly,
      columns: 'id studio_id valid_from hour_cents volume_percents created_at',
      rows,
      change: { valid_from: '2031-05-05' },
      make: [hide(hidden)],
    },
    current_price_lists: {
      ...readOnly,
      columns: 'studio_id valid_from hour_cents volume_percents',
      rows,
      change: { valid_from: '2031-05-05' },
      make: [],
    },
    special_days: {
      ...readOnly,
      columns: 'id studio_id name first_day last_day hour_cents created_at',
      rows: {
        open: { key: { studio_id: STUDIO_A, name: 'Matrix' }, fresh: { ...days, studio_id: STUDIO_A } },
        closed: { key: { studio_id: secret, name: 'Matrix' }, fresh: { ...days, studio_id: secret } },
      },
      change: { name: 'Changed' },
      make: [
        hide(secret),
        ...[STUDIO_A, secret].map((id) => ({
          text: `insert into public.special_days (studio_id, name, first_day, last_day, hour_cents) values ($1::uuid, $2, $3::date, $4::date, array_fill(5000, array[24]))`,
          values: [id, ...Object.values(festival)],
        })),
      ],
    },
  };
}

function aboutRooms({ owner, other }: People): Record<string, Expectation> {
  const closed = randomUUID();
  const code = randomUUID();
  const fresh = { code: 'FRESHCODE', discount_type: 'percentage', discount_value: 5 };
  return {
    studios: {
      columns:
        'id name description features hourly_rate active created_at title summary photos sort_order open_hours opened_at',
      grants: { anon: 'select', authenticated: 'select', service_role: ALL },
      rows: {
        open: { key: { id: STUDIO_A }, fresh: { name: 'Fresh', hourly_rate: 1 } },
        closed: { key: { id: closed }, fresh: { name: 'Fresher', hourly_rate: 1, active: false } },
      },
      change: { description: 'Changed' },
      sees: { ...everybody(['open']), service: ['open', 'closed'] },
      adds: { service: ['open', 'closed'] },
      changes: { service: ['open', 'closed'] },
      removes: { service: ['closed'] },
      // The open studio has a booking.
      but: (principal, verb, row) =>
        principal === 'service' && verb === 'delete' && row === 'open' ? 'impossible' : null,
      make: [
        {
          text: `insert into public.studios (id, name, hourly_rate, active) values ($1::uuid, $2, 10, false)`,
          values: [closed, `Closed ${closed.slice(0, 8)}`],
        },
      ],
    },
    discount_codes: {
      columns: `id code discount_type discount_value description min_hours max_uses per_user_limit current_uses expires_at active created_at
        updated_at valid_from customer_email weekdays from_hour until_hour works_when gift_batch_id`,
      grants: { anon: '', authenticated: 'select insert update', service_role: ALL },
      writes: {
        insert: CODE_FIELDS,
        update: CODE_FIELDS,
      },
      rows: { any: { key: { id: code }, fresh } },
      change: { description: 'Changed' },
      sees: { admin: ['any'], service: ['any'] },
      adds: { admin: ['any'], service: ['any'] },
      changes: { admin: ['any'], service: ['any'] },
      removes: { service: ['any'] },
      // Staff cannot write the id of the row.
      but: (principal, verb) => (principal === 'admin' && verb === 'upsert' ? 'refused' : null),
      make: [
        {
          text: `insert into public.discount_codes (id, code, discount_type, discount_value) values ($1::uuid, $2, 'percentage', 5)`,
          values: [code, code.slice(0, 8).toUpperCase()],
        },
      ],
    },
    business_settings: {
      columns: 'version settings created_at created_by',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: { first: { key: { version: 1 }, fresh: { settings: firstSettings } } },
      change: { created_by: owner },
      sees: { admin: ['first'], service: ['first'] },
      adds: {},
      changes: {},
      removes: {},
      // An upsert names its version, which no caller may write.
      but: (_principal, verb) => (verb === 'upsert' ? 'impossible' : null),
      make: [],
    },
    booking_drafts: {
      columns: 'user_id data updated_at',
      grants: { anon: '', authenticated: ALL, service_role: ALL },
      rows: {
        owner: { key: { user_id: owner }, fresh: { user_id: owner, data: { a: 1 } } },
        other: { key: { user_id: other }, fresh: { user_id: other, data: { a: 1 } } },
      },
      change: { data: { b: 2 } },
      sees: { owner: ['owner'], other: ['other'], service: BOTH },
      adds: {},
      changes: { owner: ['owner'], other: ['other'], service: BOTH },
      removes: { owner: ['owner'], other: ['other'], service: BOTH },
      but: (principal, verb, row) => {
        const own = principal === row || principal === 'service';
        if (!own) return null;
        return verb === 'insert' ? 'impossible' : verb === 'upsert' ? 'done' : null;
      },
      make: [
        {
          text: `insert into public.booking_drafts (user_id, data) values ($1::uuid, '{}'), ($2::uuid, '{}')`,
          values: [owner, other],
        },
      ],
    },
  };
}

function aboutBookings({ owner, other }: People): Record<string, Expectation> {
  const ids = { owner: randomUUID(), other: randomUUID(), nobody: randomUUID() };
  const times = {
    owner: '2031-01-01T00:00:00+00:00',
    other: '2031-01-01T02:00:00+00:00',
    nobody: '2031-01-01T04:00:00+00:00',
  };
  const rows = ['owner', 'other', 'nobody'] as const;
  const later = (row: keyof typeof times): Values => ({
    studio_id: STUDIO_B,
    start_time: times[row].replace('2031', '2032'),
    end_time: times[row].replace('2031', '2032').replace(':00:00+', ':30:00+'),
    notes: 'test',
  });
  const [accessCode, closure] = [randomUUID(), randomUUID()];
  const waits = { owner: randomUUID(), other: randomUUID() };
  const mail = randomUUID();
  const scheduled = {
    booking_id: ids.owner,
    recipient_email: 'anybody@example.com',
    email_type: 'access_code',
    status: 'pending',
    scheduled_for: times.owner,
  };
  return {
    bookings: {
      columns: `id user_id studio_id studio_name start_time end_time status total_hours base_cost discount_amount coupon_discount final_cost
        id_verification_id notes guest_email reference cancel_reason hold_expires_at slots created_at confirmed_at cancelled_at contact_phone
        guest_name`,
      grants: { anon: 'select', authenticated: 'select insert update', service_role: ALL },
      rows: Object.fromEntries(rows.map((row) => [row, { key: { start_time: times[row] }, fresh: later(row) }])),
      change: { guest_email: 'changed@example.com' },
      sees: { owner: ['owner'], other: ['other'], colleague: rows, admin: rows, service: rows },
      masked: {
        guest: rows,
        owner: ['other', 'nobody'],
        other: ['owner', 'nobody'],
        unverified: rows,
      },
      // Only staff can insert test bookings, and only while developer pages are enabled.
      adds: { admin: rows, service: rows },
      changes: { service: rows },
      removes: {},
      but: (principal, verb) => {
        if (principal === 'revoked' || principal === 'expired') return null;
        if (verb === 'upsert') return principal === 'guest' ? 'refused' : 'impossible';
        // The view does not support deletion.
        if (verb === 'delete') return 'impossible';
        // A row that every caller sees leads to a refusal rather than to no match.
        return verb === 'update' && principal !== 'service' ? 'refused' : null;
      },
      make: rows.map((row) => ({
        text: `insert into private.booking (id, reference, user_id, studio_id, studio_name, start_time, end_time, status, total_hours, base_cost_cents,
            final_cost_cents, notes, contact_phone) values ($1::uuid, private.new_reference(), $2::uuid, $3::uuid, 'A', $4::timestamptz,
            $4::timestamptz + interval '1 hour', 'confirmed', 1, 0, 0, 'test', '+61400000000')`,
        values: [ids[row], row === 'owner' ? owner : row === 'other' ? other : null, STUDIO_A, times[row]],
      })),
    },
    // A read-only view for the owner of the booking and for staff.
    booking_payments: {
      columns: 'booking_id state amount refunded created_at updated_at',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: {
        owner: { key: { booking_id: ids.owner }, fresh: { booking_id: ids.owner, state: 'paid' } },
        other: { key: { booking_id: ids.other }, fresh: { booking_id: ids.other, state: 'paid' } },
        nobody: { key: { booking_id: ids.nobody }, fresh: { booking_id: ids.nobody, state: 'paid' } },
      },
      change: { state: 'refunded' },
      sees: { owner: ['owner'], other: ['other'], colleague: rows, admin: rows, service: rows },
      adds: {},
      changes: {},
      removes: {},
      // A view over two tables cannot be written.
      but: (principal, verb) =>
        principal === 'revoked' || principal === 'expired' || verb === 'select' || verb === 'head'
          ? null
          : 'impossible',
      make: rows.map((row) => ({
        text: `insert into private.payment (booking_id, attempt, kind, key, amount_cents, state) values ($1::uuid, 1, 'free', $2, 0, 'paid')`,
        values: [ids[row], `matrix:${ids[row]}`],
      })),
    },
    // A read-only view. Only staff see the reason; see tests/api/closures.test.ts.
    closed_hours: {
      columns: 'closure_id studio_id start_time end_time public reason weeks endless',
      grants: { anon: 'select', authenticated: 'select', service_role: 'select' },
      rows: { any: { key: { closure_id: closure }, fresh: { closure_id: closure, studio_id: STUDIO_B } } },
      change: { reason: 'Changed' },
      sees: { ...everybody(['any']), revoked: [], expired: [] },
      adds: {},
      changes: {},
      removes: {},
      but: (principal, verb) =>
        principal === 'revoked' || principal === 'expired' || verb === 'select' || verb === 'head'
          ? null
          : 'impossible',
      make: [
        {
          text: `insert into private.closure (id, studio_id, start_time, end_time, reason, public)
            values ($1::uuid, $2::uuid, '2033-01-01', '2033-01-02', 'Matrix', true)`,
          values: [closure, STUDIO_A],
        },
        {
          text: `insert into private.closed_span (closure_id, studio_id, start_time, end_time)
            values ($1::uuid, $2::uuid, '2033-01-01', '2033-01-02')`,
          values: [closure, STUDIO_A],
        },
      ],
    },
    waitlist_entries: {
      columns: 'id place user_id studio_id start_time end_time state claim_until created_at',
      grants: { anon: '', authenticated: 'select', service_role: 'select' },
      rows: {
        owner: { key: { id: waits.owner }, fresh: { user_id: owner, studio_id: STUDIO_B } },
        other: { key: { id: waits.other }, fresh: { user_id: other, studio_id: STUDIO_B } },
      },
      change: { state: 'left' },
      sees: { owner: ['owner'], other: ['other'], colleague: [], admin: BOTH, service: BOTH },
      adds: {},
      changes: {},
      removes: {},
      make: BOTH.map((row) => ({
        text: `insert into public.waitlist_entries (id, user_id, studio_id, start_time, end_time, created_at)
          values ($1::uuid, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz + interval '1 hour', $4::timestamptz)`,
        values: [waits[row], row === 'owner' ? owner : other, STUDIO_A, times[row]],
      })),
    },
    booking_access_codes: {
      columns:
        'id booking_id attempt status mode starts_at ends_at release_at issued_at used_at revoked_at created_at seen_at',
      grants: { anon: '', authenticated: 'select', service_role: ALL },
      rows: {
        any: {
          key: { id: accessCode },
          fresh: {
            booking_id: ids.other,
            attempt: 1,
            status: 'failed',
            mode: 'hourly',
            starts_at: times.owner,
            ends_at: times.other,
            release_at: times.owner,
          },
        },
      },
      change: { status: 'revoked' },
      sees: { admin: ['any'], service: ['any'] },
      adds: { service: ['any'] },
      changes: { service: ['any'] },
      removes: { service: ['any'] },
      make: [
        {
          text: `insert into public.booking_access_codes (id, booking_id, attempt, status, mode, starts_at, ends_at, release_at)
            values ($1::uuid, $2::uuid, 1, 'failed', 'hourly', $3::timestamptz, $3::timestamptz + interval '1 hour', $3::timestamptz)`,
          values: [accessCode, ids.owner, times.owner],
        },
      ],
    },
    scheduled_emails: {
      columns: 'id booking_id recipient_email email_type status scheduled_for sent_at created_at',
      grants: { anon: '', authenticated: 'select insert', service_role: ALL },
      writes: { insert: 'booking_id recipient_email email_type status scheduled_for' },
      rows: { any: { key: { id: mail }, fresh: scheduled } },
      change: { status: 'cancelled' },
      sees: { admin: ['any'], service: ['any'] },
      adds: { admin: ['any'], service: ['any'] },
      changes: { service: ['any'] },
      removes: { service: ['any'] },
      make: [
        {
          text: `insert into public.scheduled_emails (id, booking_id, recipient_email, email_type, status, scheduled_for)
            values ($1::uuid, $2::uuid, 'x@example.com', 'access_code', 'cancelled', $3::timestamptz)`,
          values: [mail, ids.owner, times.owner],
        },
      ],
    },
  };
}

/** Functions of the exposed schema, with the roles that may call each. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  'add_booking_note(note_id uuid, booking uuid, note text)': 'authenticated service_role',
  'booking_crew(bookings uuid[])': 'authenticated service_role',
  'booking_details(reference text)': 'authenticated service_role',
  'bookings_of_day(day date)': 'authenticated service_role',
  'business_numbers(first_day date, last_day date, studio uuid)': 'authenticated service_role',
  'calendar_feeds()': 'authenticated service_role',
  'close_job(job uuid, reason text)': 'authenticated service_role',
  'add_customer_note(note_id uuid, customer uuid, note text)': 'authenticated service_role',
  'campaigns(most integer)': 'authenticated service_role',
  'customer_messages(customer uuid, most integer)': 'authenticated service_role',
  'customer_notes(customer uuid, most integer)': 'authenticated service_role',
  'mailing_list_counts()': 'authenticated service_role',
  'remove_from_mailing_list(address text)': 'authenticated service_role',
  'search_mailing_list(words text, most integer)': 'authenticated service_role',
  'discount_code_results(codes uuid[])': 'authenticated service_role',
  'gift_batches(most integer)': 'authenticated service_role',
  'make_gift_codes(batch uuid, amount integer, prefix text, terms jsonb)': 'authenticated service_role',
  'set_gift_batch_active(batch uuid, active boolean)': 'authenticated service_role',
  'developer_pages_open()': 'anon authenticated service_role',
  'free_hours(first_day date, days integer, studio uuid)': 'authenticated service_role',
  'has_permission(permission text)': 'anon authenticated service_role',
  'staff_rights()': 'authenticated service_role',
  'is_staff()': 'anon authenticated service_role',
  'lacks_second_factor(permission text)': 'authenticated service_role',
  'keep_blocked_booking(booking uuid)': 'authenticated service_role',
  'ledger_check(month date)': 'authenticated service_role',
  'leave_mailing_list(subscription uuid)': 'anon authenticated service_role',
  'mark_no_show(booking uuid, missed boolean)': 'authenticated service_role',
  'newest_bookings(most integer)': 'authenticated service_role',
  'may_add_report_photo()': 'authenticated service_role',
  'order_of_booking(reference text)': 'authenticated service_role',
  'own_booking(booking text)': 'authenticated service_role',
  'own_feedback(booking uuid)': 'authenticated service_role',
  'own_bookings()': 'authenticated service_role',
  'retry_job(job uuid)': 'authenticated service_role',
  'search_audit_logs(words text, before_at timestamp with time zone, before_id uuid)': 'authenticated service_role',
  'search_customers(words text, most integer)': 'authenticated service_role',
  'search_guest_bookings(words text, most integer)': 'authenticated service_role',
  'second_factor_rules()': 'authenticated service_role',
  'send_mail_again(booking uuid, mail text)': 'authenticated service_role',
  'site_settings()': 'anon authenticated service_role',
  'site_texts()': 'anon authenticated service_role',
  'staff_rooms()': 'authenticated service_role',
  'staff_alerts(at timestamp with time zone, most integer)': 'authenticated service_role',
  'staff_calendar(first_day date, days integer, studio uuid)': 'authenticated service_role',
  'staff_ratings(at timestamp with time zone, most integer)': 'authenticated service_role',
  'staff_team(at timestamp with time zone)': 'authenticated service_role',
  'upcoming_bookings(ends_after timestamp with time zone, most integer)': 'authenticated service_role',
  'waiting_moves()': 'authenticated service_role',
  'validate_discount_code(code_input text, booking_hours numeric, booking_start timestamp with time zone, booking_end timestamp with time zone)':
    'anon authenticated service_role',
  'waiting_reviews(ends_after timestamp with time zone, most integer)': 'authenticated service_role',
};

/** Relations outside the exposed schema on which callers' roles have a grant. */
export const ELSEWHERE: readonly string[] = ['realtime.messages', 'storage.buckets', 'storage.objects'];

/** Returns the expected outcome of one cell. */
export function expectedOutcome(expectation: Expectation, principal: Principal, verb: Verb, row: string): Outcome {
  if (principal === 'revoked' || principal === 'expired') return 'unknown';
  const exception = expectation.but?.(principal, verb, row) ?? null;
  if (exception !== null) return exception;
  const role = principal === 'guest' ? 'anon' : principal === 'service' ? 'service_role' : 'authenticated';
  const granted = expectation.grants[role].split(' ');
  const names = (allowed: Allowed | undefined): boolean => allowed?.[principal]?.includes(row) === true;
  switch (verb) {
    case 'select':
    case 'head':
      if (!granted.includes('select')) return 'refused';
      return names(expectation.sees) ? 'shown' : names(expectation.masked) ? 'masked' : 'none';
    case 'insert':
      return granted.includes('insert') && names(expectation.adds) ? 'done' : 'refused';
    case 'upsert':
      return granted.includes('insert') &&
        granted.includes('update') &&
        names(expectation.adds) &&
        names(expectation.changes)
        ? 'done'
        : 'refused';
    case 'update':
      return !granted.includes('update') ? 'refused' : names(expectation.changes) ? 'done' : 'none';
    case 'delete':
      return !granted.includes('delete') ? 'refused' : names(expectation.removes) ? 'done' : 'none';
  }
}
