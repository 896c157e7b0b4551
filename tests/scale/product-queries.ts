import { accountId } from './many-rows.ts';

/** Who sends a query. */
export type Sender = 'guest' | 'customer' | 'staff';

/** A query of the product, as a page sends it. */
export type ProductQuery = {
  readonly name: string;
  /** The file that sends it. */
  readonly file: string;
  readonly sender: Sender;
  readonly path: string;
  /** Sent by POST. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** An upsert of this row. */
  readonly upsert?: Readonly<Record<string, unknown>>;
};

/** What the values of the queries are taken from. */
export type Known = { readonly customerId: string; readonly studioId: string; readonly now: Date };

const HOUR_MS = 3_600_000;
const OWN = 'web/data/own-bookings.ts';
const AUDIT = 'web/staff/audit/queries.ts';
const STAFF = 'web/staff/bookings/queries.ts';
const CALENDAR = 'web/staff/calendar/queries.ts';
const DEVELOPER = 'web/staff/developer/queries.ts';

/** Every read of the product that meets a table which grows, with the longest lists that the pages ask for. */
export function productQueries({ customerId, studioId, now }: Known): ProductQuery[] {
  const at = (hours: number): string => new Date(now.getTime() + hours * HOUR_MS).toISOString();
  const availability = `bookings?select=id,studio_id,start_time,end_time,status,user_id&studio_id=eq.${studioId}&status=neq.cancelled&start_time=gte.${at(-25)}&start_time=lt.${at(48)}&end_time=gt.${at(0)}`;
  const accounts = Array.from({ length: 100 }, (_, number) => accountId(number)).join(',');
  const bookings = Array.from({ length: 100 }, (_, number) => accountId(number).replace('0ac', 'b00')).join(',');
  const search = (name: string, words: string): ProductQuery => ({
    name: `search of the log: ${name}`,
    file: AUDIT,
    sender: 'staff',
    path: 'rpc/search_audit_logs',
    body: { words },
  });
  const own = (name: string, file: string, path: string): ProductQuery => ({ name, file, sender: 'customer', path });
  const staff = (name: string, file: string, path: string): ProductQuery => ({ name, file, sender: 'staff', path });
  return [
    ...(['guest', 'customer', 'staff'] as const).map((sender) => ({
      name: `availability, ${sender}`,
      file: 'web/data/availability.ts',
      sender,
      path: availability,
    })),
    {
      name: 'closed hours of a room',
      file: 'web/data/availability.ts',
      sender: 'guest',
      path: `closed_hours?select=studio_id,start_time,end_time&start_time=lt.${at(48)}&end_time=gt.${at(0)}&studio_id=eq.${studioId}`,
    },
    { name: 'own bookings', file: OWN, sender: 'customer', path: 'rpc/own_bookings', body: {} },
    own('own payments', OWN, `booking_payments?select=*&booking_id=in.(${bookings})`),
    own(
      'next booking',
      'web/features/access/queries.ts',
      `bookings?select=id&status=eq.confirmed&user_id=eq.${customerId}&end_time=gt.${at(0)}&order=start_time&limit=1`,
    ),
    own('own profile', 'web/data/profile.ts', `profiles?select=*&user_id=eq.${customerId}`),
    own('own ID check', 'web/data/eligibility.ts', `user_verifications?select=id&user_id=eq.${customerId}&limit=1`),
    own('own terms', 'web/data/eligibility.ts', `terms_acceptances?select=version&user_id=eq.${customerId}`),
    own('own draft', 'web/data/drafts/server-draft.ts', 'booking_drafts?select=data'),
    {
      name: 'upcoming bookings',
      file: STAFF,
      sender: 'staff',
      path: 'rpc/upcoming_bookings?select=id,reference,user_id,studio_name,start_time,end_time,status,final_cost,notes,contact_phone',
      body: { ends_after: at(0), most: 100 },
    },
    {
      name: 'bookings of a day',
      file: 'web/staff/bookings/queries.ts',
      sender: 'staff',
      path: 'rpc/bookings_of_day',
      body: { day: at(0).slice(0, 10) },
    },
    {
      name: 'calendar of a week',
      file: CALENDAR,
      sender: 'staff',
      path: 'rpc/staff_calendar',
      body: { first_day: at(0).slice(0, 10), days: 7 },
    },
    {
      name: 'free hours of four weeks in a room',
      file: CALENDAR,
      sender: 'staff',
      path: 'rpc/free_hours',
      body: { first_day: at(0).slice(0, 10), days: 28, studio: studioId },
    },
    {
      name: 'all about a booking',
      file: 'web/staff/booking-panel/queries.ts',
      sender: 'staff',
      path: 'rpc/booking_details',
      body: { reference: '0000-0007' },
    },
    {
      name: 'alerts',
      file: 'web/staff/bookings/queries.ts',
      sender: 'staff',
      path: 'rpc/staff_alerts',
      body: {},
    },
    staff('customers of a page', STAFF, `profiles?select=user_id,full_name,email,phone&user_id=in.(${accounts})`),
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
