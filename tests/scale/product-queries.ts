import { accountId } from './many-rows.ts';

/** The kind of caller that sends a query. */
export type Sender = 'guest' | 'customer' | 'staff';

/** A query of the product, as a page sends it. */
export type ProductQuery = {
  readonly name: string;
  /** The file that sends the query. */
  readonly file: string;
  readonly sender: Sender;
  readonly path: string;
  /** The body of a query that is sent by POST. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The API that answers the query. Default: rest. */
  readonly api?: 'functions';
};

/** Values that the queries use. */
export type QueryTarget = { readonly customerId: string; readonly studioId: string; readonly now: Date };

const HOUR_MS = 3_600_000;
const OWN = 'web/data/bookings/own-bookings.ts';
const AUDIT = 'web/staff/audit/queries.ts';
const STAFF = 'web/staff/bookings/queries.ts';
const COUPONS = 'web/staff/coupons/queries.ts';
const DEVELOPER = 'web/staff/developer/queries.ts';

/** Every read of the product that involves a growing table, with the longest lists that the pages request. */
export function productQueries({ customerId, studioId, now }: QueryTarget): ProductQuery[] {
  const at = (hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();
  const today = at(0).slice(0, 10);
  const daysAgo = (days: number): string => at(-24 * days).slice(0, 10);
  const availability = `bookings?select=id,studio_id,start_time,end_time,status,user_id&studio_id=eq.${studioId}&status=neq.cancelled&start_time=gte.${at(-25)}&start_time=lt.${at(48)}&end_time=gt.${at(0)}`;
  const accounts = Array.from({ length: 100 }, (_, number) => accountId(number)).join(',');
  const bookings = Array.from({ length: 100 }, (_, number) => accountId(number).replace('0ac', 'b00')).join(',');
  const rooms = [studioId, ...Array.from({ length: 12 }, (_, number) => accountId(number))].join(',');
  const search = (name: string, words: string): ProductQuery => ({
    name: `search of the log: ${name}`,
    file: AUDIT,
    sender: 'staff',
    path: 'rpc/search_audit_logs',
    body: { words },
  });
  /** A call of a database function by staff. */
  const asks = (name: string, folder: string, path: string, body: ProductQuery['body'] = {}): ProductQuery => ({
    name,
    file: `web/staff/${folder}.ts`,
    sender: 'staff',
    path: `rpc/${path}`,
    body,
  });
  const calls = (name: string, folder: string, path: string, body: ProductQuery['body'] = {}): ProductQuery => ({
    name,
    file: `web/staff/${folder}.ts`,
    sender: 'staff',
    path,
    body,
    api: 'functions',
  });
  const [customer, booking] = [accountId(7), accountId(7).replace('0ac', 'b00')];
  const own = (name: string, file: string, path: string): ProductQuery => ({ name, file, sender: 'customer', path });
  const staff = (name: string, file: string, path: string): ProductQuery => ({ name, file, sender: 'staff', path });
  return [
    ...(['guest', 'customer', 'staff'] as const).map((sender) => ({
      name: `availability, ${sender}`,
      file: 'web/data/finding/availability.ts',
      sender,
      path: availability,
    })),
    {
      name: 'availability of all rooms, as many as one query asks for',
      file: 'web/data/finding/availability.ts',
      sender: 'guest',
      path: availability.replace(`studio_id=eq.${studioId}`, `studio_id=in.(${rooms})`),
    },
    {
      name: 'studios with their prices',
      file: 'web/features/studios/queries.ts',
      sender: 'guest',
      path: `studios?select=id,name,description,features,photos,current_price_lists(valid_from,hour_cents,volume_percents),special_days(name,first_day,last_day,hour_cents)&special_days.last_day=gte.${today}&active=eq.true&order=sort_order,name,id`,
    },
    {
      name: 'closed hours of all rooms',
      file: 'web/data/finding/availability.ts',
      sender: 'guest',
      path: `closed_hours?select=studio_id,start_time,end_time&start_time=lt.${at(48)}&end_time=gt.${at(0)}&studio_id=in.(${rooms})`,
    },
    {
      name: 'closed hours of a room',
      file: 'web/data/finding/availability.ts',
      sender: 'guest',
      path: `closed_hours?select=studio_id,start_time,end_time&start_time=lt.${at(48)}&end_time=gt.${at(0)}&studio_id=eq.${studioId}`,
    },
    { name: 'own bookings', file: OWN, sender: 'customer', path: 'rpc/own_bookings', body: {} },
    { name: 'own moves that wait', file: OWN, sender: 'customer', path: 'rpc/waiting_moves', body: {} },
    {
      name: 'own booking',
      file: 'web/features/own-booking/queries.ts',
      sender: 'customer',
      path: 'rpc/own_booking',
      body: { booking: bookings.split(',')[0] },
    },
    {
      name: 'crew of an own booking',
      file: 'web/data/bookings/crew.ts',
      sender: 'customer',
      path: 'rpc/booking_crew',
      body: { bookings: [bookings.split(',')[0]] },
    },
    own('own payments', OWN, `booking_payments?select=*&booking_id=in.(${bookings})`),
    own(
      'next booking',
      'web/features/access/queries.ts',
      `bookings?select=id&status=eq.confirmed&user_id=eq.${customerId}&end_time=gt.${at(0)}&order=start_time&limit=1`,
    ),
    own('own profile', 'web/data/profile.ts', `profiles?select=*&user_id=eq.${customerId}`),
    own(
      'own ID check',
      'web/data/account/eligibility.ts',
      `user_verifications?select=id&user_id=eq.${customerId}&limit=1`,
    ),
    own(
      'own ID results',
      'web/features/identity/status-query.ts',
      `id_verifications?select=verification_status,expires_at,created_at,failure_reasons,extracted_dob,extracted_first_name,extracted_middle_name,extracted_last_name&user_id=eq.${customerId}&verification_status=in.(verified,review,failed)&order=created_at.desc&limit=100`,
    ),
    own(
      'own wait list',
      'web/data/finding/waitlist.ts',
      `waitlist_entries?select=id,studio_id,start_time,end_time,state,claim_until,user_id,studios(name)&state=in.(waiting,asked)&start_time=gt.${at(0)}&order=start_time&limit=20`,
    ),
    own('own role', 'web/data/role.ts', `user_roles?select=role&user_id=eq.${customerId}`),
    {
      name: 'own feedback',
      file: 'web/features/session/feedback-queries.ts',
      sender: 'customer',
      path: 'rpc/own_feedback',
      body: { booking: bookings.split(',')[0] },
    },
    {
      name: 'check of a discount code',
      file: 'web/features/coupons/queries.ts',
      sender: 'customer',
      path: 'rpc/validate_discount_code',
      body: { code_input: 'NOT-A-CODE', booking_hours: 2 },
    },
    own('own terms', 'web/data/account/eligibility.ts', `terms_acceptances?select=version&user_id=eq.${customerId}`),
    own('own draft', 'web/data/drafts/server-draft.ts', 'booking_drafts?select=data'),
    asks(
      'upcoming bookings',
      'bookings/queries',
      'upcoming_bookings?select=id,reference,user_id,studio_name,start_time,end_time,status,final_cost,notes,contact_phone,guest_name,guest_email',
      { ends_after: at(0), most: 100 },
    ),
    asks('bookings of a day', 'bookings/queries', 'bookings_of_day', { day: today }),
    asks('alerts', 'bookings/queries', 'staff_alerts'),
    asks('calendar of a week', 'calendar/queries', 'staff_calendar', { first_day: today, days: 7 }),
    asks('free hours of four weeks in a room', 'calendar/queries', 'free_hours', {
      first_day: today,
      days: 28,
      studio: studioId,
    }),
    asks('free hours of four weeks in all rooms', 'calendar/queries', 'free_hours', { first_day: today, days: 28 }),
    asks('calendar feeds', 'calendar/queries', 'calendar_feeds'),
    asks('all about a booking', 'booking-panel/queries', 'booking_details', { reference: '0000-0007' }),
    asks('series of a booking', 'series/queries', 'order_of_booking', { reference: '0000-0007' }),
    asks('newest customers', 'customers/queries', 'search_customers', { words: '', most: 50 }),
    asks('search of customers: an address', 'customers/queries', 'search_customers', { words: 'person77@', most: 50 }),
    asks('search of customers: a common word', 'customers/queries', 'search_customers', { words: 'person', most: 50 }),
    asks('search of guests: an address', 'bookings/guest-queries', 'search_guest_bookings', {
      words: 'guest77@',
      most: 50,
    }),
    asks('search of guests: a common word', 'bookings/guest-queries', 'search_guest_bookings', {
      words: 'guest',
      most: 50,
    }),
    staff(
      'bookings of a customer',
      'web/staff/customers/queries.ts',
      `bookings?select=id,reference,studio_name,start_time,end_time,status,final_cost&user_id=eq.${customer}&order=start_time.desc&limit=100`,
    ),
    asks('notes about a customer', 'customers/queries', 'customer_notes', { customer }),
    asks('mails to a customer', 'mailing/message-queries', 'customer_messages', { customer, most: 50 }),
    asks('IDs that wait', 'id-review/queries', 'waiting_reviews', { ends_after: at(0), most: 100 }),
    calls('doors', 'doors/queries', 'staff-doors'),
    calls('door log', 'doors/log-queries', 'staff-door-log'),
    calls('door log of a booking', 'doors/log-queries', 'staff-door-log', { bookingId: booking }),
    calls('codes of staff', 'doors/code-queries', 'staff-access-codes'),
    calls('incidents', 'incidents/queries', 'staff-incidents'),
    asks('ratings', 'incidents/queries', 'staff_ratings'),
    calls('disputes of a booking', 'disputes/queries', 'staff-disputes', { bookingId: booking }),
    staff('discount codes', COUPONS, 'discount_codes?select=*&gift_batch_id=is.null&order=created_at.desc'),
    asks('what codes brought', 'coupons/queries', 'discount_code_results', { codes: [customer, booking] }),
    asks('gift codes', 'coupons/queries', 'gift_batches'),
    asks('campaigns', 'mailing/queries', 'campaigns'),
    asks('newest addresses', 'mailing/queries', 'search_mailing_list', { words: '', most: 50 }),
    asks('search of addresses: one', 'mailing/queries', 'search_mailing_list', { words: 'person77@', most: 50 }),
    asks('search of addresses: a part of all', 'mailing/queries', 'search_mailing_list', { words: 'person', most: 50 }),
    asks('counts of the addresses', 'mailing/queries', 'mailing_list_counts'),
    // With the smallest amount of rows, bookings reach only three days into the past.
    asks('numbers of a day', 'numbers/queries', 'business_numbers', { first_day: daysAgo(2), last_day: daysAgo(2) }),
    asks('comparison with the ledger', 'numbers/ledger-queries', 'ledger_check', { month: `${today.slice(0, 7)}-01` }),
    asks('team', 'team/queries', 'staff_team', { at: at(0) }),
    asks('rooms', 'rooms/queries', 'staff_rooms'),
    staff(
      'settings with their history',
      'web/staff/settings/queries.ts',
      'business_settings?select=version,settings,created_at,created_by&order=version.desc&limit=50',
    ),
    staff(
      'prices of a room',
      'web/staff/prices/queries.ts',
      `price_lists?select=valid_from,hour_cents,volume_percents&studio_id=eq.${studioId}&order=valid_from.desc&limit=200`,
    ),
    staff(
      'special days of a room',
      'web/staff/prices/queries.ts',
      `special_days?select=name,first_day,last_day,hour_cents&studio_id=eq.${studioId}&order=first_day.desc&limit=200`,
    ),
    staff(
      'identity of a customer',
      'web/staff/customers/queries.ts',
      `customer_identities?select=date_of_birth,address&user_id=eq.${customerId}`,
    ),
    staff(
      'names of staff',
      'web/staff/settings/queries.ts',
      `staff_names?select=user_id,full_name&user_id=in.(${accounts})`,
    ),
    staff(
      'customers of a page',
      STAFF,
      `customer_contacts?select=user_id,full_name,email,phone&user_id=in.(${accounts})`,
    ),
    {
      name: 'newest booking',
      file: DEVELOPER,
      sender: 'staff',
      path: 'rpc/newest_bookings?select=id,reference,studio_name,start_time,end_time,status',
      body: { most: 1 },
    },
    staff(
      'closed hours to come',
      'web/staff/closures/queries.ts',
      `closed_hours?select=closure_id,studio_id,start_time,end_time,public,reason&end_time=gt.${at(0)}&order=start_time&limit=1000`,
    ),
    staff('one booking', DEVELOPER, `bookings?select=id,reference,status&id=eq.${accountId(7).replace('0ac', 'b00')}`),
    staff(
      'test bookings',
      DEVELOPER,
      `bookings?select=id,reference,studio_name,start_time,end_time,status&user_id=eq.${customerId}&notes=eq.test&status=eq.confirmed&end_time=gt.${at(0)}&order=start_time`,
    ),
    staff(
      'newest access codes',
      DEVELOPER,
      'booking_access_codes?select=*,bookings(start_time,end_time,studios(name))&order=created_at.desc&limit=10',
    ),
    staff('the log, newest first', AUDIT, 'audit_logs?select=*&order=created_at.desc&limit=100'),
    search('one entry', 'entry777'),
    search('a common word', 'update'),
    search('two common words', 'update booking'),
    search('a word of no entry', 'nowhere'),
    search('an address', 'person77@example.com'),
    search('a part of every address', '@example'),
    search('two letters of no entry', 'qz'),
    search('two letters and a common word', 'qz update'),
  ];
}
