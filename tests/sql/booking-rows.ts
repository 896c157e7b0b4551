import { type Row, type Rows, uuid } from '#tests/support/rows.ts';

/** Rows around bookings for several test files. Times are minutes from NOW; the requested hours start at minute 600. */
export const NOW = '2031-03-01T00:00:00Z';
export const ALEX = uuid(1);
export const KIM = uuid(2);
export const STUDIO = uuid(10);
export const OTHER_STUDIO = uuid(11);
export const CODE = uuid(20);
export const OTHER_CODE = uuid(21);

export const at = (minutes: number): string => new Date(Date.parse(NOW) + minutes * 60_000).toISOString();

/** Runs `work` without triggers and foreign keys. */
export async function force<T>({ query }: Rows, work: () => Promise<T>): Promise<T> {
  await query('set local session_replication_role = replica');
  const result = await work();
  await query('set local session_replication_role = origin');
  return result;
}

/** Runs `work` and rolls it back. Returns its result. */
export async function tryOut<T>({ query }: Rows, work: () => Promise<T>): Promise<T> {
  await query('savepoint try_out');
  try {
    return await work();
  } finally {
    await query('rollback to savepoint try_out');
  }
}

export const addPerson = (rows: Rows, id: string, more: Row = {}): Promise<Row> =>
  rows.add('auth.users', {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email: `${id.slice(-4)}@example.com`,
    raw_app_meta_data: { providers: ['email'] },
    raw_user_meta_data: {},
    created_at: NOW,
    updated_at: NOW,
    email_change_confirm_status: 0,
    is_anonymous: false,
    is_sso_user: false,
    ...more,
  });

/** Adds two customers, two studios and two unused codes. */
export async function addStudiosAndCustomers(rows: Rows): Promise<void> {
  for (const id of [ALEX, KIM]) await addPerson(rows, id);
  await rows.query(`insert into public.studios (id, name, hourly_rate) values ($1, 'Testing', 49), ($2, 'Other', 49)`, [
    STUDIO,
    OTHER_STUDIO,
  ]);
  await rows.query(
    `insert into public.discount_codes (id, code, discount_type, discount_value) values ($1, 'DANCE', 'fixed', 10), ($2, 'OTHER', 'fixed', 5)`,
    [CODE, OTHER_CODE],
  );
}

/** Adds a pending booking of Alex, made two hours ago for the requested hours, without any checks. */
export const addBooking = (rows: Rows, number: number, more: Row = {}): Promise<Row> =>
  force(rows, () =>
    rows.add('private.booking', {
      id: uuid(number),
      reference: `AAAA-${String(number).padStart(4, '0')}`,
      user_id: ALEX,
      studio_id: STUDIO,
      studio_name: 'Testing',
      start_time: at(600),
      end_time: at(660),
      status: 'pending',
      hold_expires_at: at(15),
      total_hours: 1,
      slots: [],
      base_cost_cents: 4900,
      discount_cents: 0,
      coupon_discount_cents: 0,
      final_cost_cents: 4900,
      policy: {},
      created_at: at(-120),
      ...more,
    }),
  );

/** Adds a payment, whose id contains the numbers of the booking and of the attempt. */
export const addPayment = (rows: Rows, booking: number, state: string, more: Row = {}): Promise<Row> =>
  force(rows, () => {
    const attempt = Number(more['attempt'] ?? 1);
    return rows.add('private.payment', {
      id: uuid(booking * 100 + attempt),
      booking_id: uuid(booking),
      attempt,
      kind: 'card',
      state,
      key: `${booking} ${attempt}`,
      currency: 'aud',
      amount_cents: 4900,
      refunded_cents: 0,
      created_at: at(-120),
      ...more,
    });
  });

/** Adds the use of a code by a booking. */
export const addRedemption = (rows: Rows, booking: number, more: Row = {}): Promise<Row> =>
  force(rows, () =>
    rows.add('private.coupon_redemption', {
      booking_id: uuid(booking),
      coupon_id: CODE,
      user_id: ALEX,
      state: 'reserved',
      created_at: at(-120),
      ...more,
    }),
  );

export type HoldOutcome = {
  readonly outcome: string;
  readonly booking?: Row & { readonly id: string };
  readonly payment?: Row & { readonly id: string };
  readonly expired?: string[];
  readonly mine?: string | null;
  readonly bookingIds?: string[];
  readonly holds?: (Row & { readonly id: string })[];
  readonly retryAt?: string | null;
};

export const TERMS = { code: 'DANCE', discountType: 'fixed', discountValue: 10 };
const REQUEST = {
  userId: ALEX,
  studioId: STUDIO,
  studioName: 'Testing',
  startTime: at(600),
  endTime: at(660),
  totalHours: 1,
  slots: ['10:00'],
  baseCostCents: 4900,
  discountCents: 0,
  couponDiscountCents: 0,
  finalCostCents: 4900,
  termsVersion: 'v1',
  policy: { freeCancelHours: 24 },
  holdExpiresAt: at(15),
  sessionExpiresAt: at(31),
  maxLiveHolds: 3,
  holdsPerHour: 3,
};

/** Requests a hold of the requested hours, as the server does. */
export const hold = async ({ value }: Rows, more: Row = {}, now = NOW): Promise<HoldOutcome> =>
  (await value('select private.hold_booking($1::jsonb, $2::timestamptz)', [
    JSON.stringify({ ...REQUEST, ...more }),
    now,
  ])) as HoldOutcome;

/** Returns a booking's status, cancel reason and redemption state, and 'moving' while the redemption moves to another hold. */
export const readState = async ({ value }: Rows, number: number): Promise<unknown> =>
  value(
    `select concat_ws(' ', b.status, b.cancel_reason, r.state, case when r.moving_until is not null then 'moving' end)
     from private.booking b left join private.coupon_redemption r on r.booking_id = b.id where b.id = $1`,
    [uuid(number)],
  );
