/** A kind of data: `all` matches every entry of it, `of(…)` one. Mutations invalidate by these names only. */
const kind = <Parts extends readonly unknown[]>(name: string) => ({
  all: [name] as const,
  of: (...parts: Parts) => [name, ...parts] as const,
});
type Id = string | null;

/** The key of every query. */
export const queryKeys = {
  // Of the account
  profile: kind<[userId: Id]>('profile'),
  idStatus: kind<[userId: Id]>('id-status'),
  hostedCheck: kind<[verificationId: Id]>('hosted-check'),
  eligibility: kind<[userId: Id]>('eligibility'),
  role: kind<[userId: Id]>('role'),
  staffRights: kind<[userId: Id, accessToken: Id]>('staff-rights'),
  authenticatorApps: kind<[userId: Id]>('authenticator-apps'),
  passkeys: kind<[userId: Id]>('passkeys'),
  sessions: kind<[]>('sessions'),
  signInMethods: kind<[]>('sign-in-methods'),
  emailTaken: kind<[email: string]>('email-taken'),
  // Of bookings
  studios: kind<[]>('studios'),
  availability: kind<[use: 'grid' | 'offers' | 'draft', studioId: Id, userId: Id, from: string, to: string]>('availability'),
  roomsNow: kind<[]>('rooms-now'),
  ownBookings: kind<[userId: Id]>('own-bookings'),
  nextBooking: kind<[userId: Id]>('next-booking'),
  draft: kind<[userId: Id]>('draft'),
  coupon: kind<[code: Id]>('coupon'),
  payment: kind<[sessionId: Id]>('payment'),
  accessCode: kind<[bookingId: string, token: Id, userId: Id]>('access-code'),
  // Of the business
  texts: kind<[]>('texts'),
  settings: kind<[]>('settings'),
  staffRooms: kind<[]>('staff-rooms'),
  // Of staff
  factorRules: kind<[accessToken: Id]>('factor-rules'),
  team: kind<[]>('team'),
  permissions: kind<[userId: Id]>('permissions'),
  staffDay: kind<[day: string]>('staff-day'),
  staffCalendar: kind<[what: 'days' | 'free' | 'feeds', firstDay?: string, days?: number, studioId?: Id]>('staff-calendar'),
  staffBooking: kind<[reference: string]>('staff-booking'),
  moveQuote: kind<[bookingId: string, place: { studioId: string; startTime: string; endTime: string }]>('move-quote'),
  alerts: kind<[]>('alerts'),
  discountCodes: kind<[]>('discount-codes'),
  codeResults: kind<[codes: readonly string[]]>('code-results'),
  giftBatches: kind<[]>('gift-batches'),
  auditLog: kind<[words: string]>('audit-log'),
  auditActors: kind<[userIds: readonly string[]]>('audit-actors'),
  staffBookings: kind<[]>('staff-bookings'),
  closures: kind<[]>('closures'),
  prices: kind<[studioId: Id]>('prices'),
  customers: kind<[words: string]>('customers'),
  customerNotes: kind<[userId: string]>('customer-notes'),
  customerMessages: kind<[userId: string]>('customer-messages'),
  campaigns: kind<[]>('campaigns'),
  mailingList: kind<[words: string]>('mailing-list'),
  mailingCounts: kind<[]>('mailing-counts'),
  customerBookings: kind<[userId: string]>('customer-bookings'),
  waitingIds: kind<[]>('waiting-ids'),
  idPicture: kind<[verificationId: string]>('id-picture'),
  disputes: kind<[bookingId: string]>('disputes'),
  incidents: kind<[]>('incidents'),
  incidentPhoto: kind<[name: string]>('incident-photo'),
  staffCodes: kind<[]>('staff-codes'),
  doors: kind<[]>('doors'),
  doorLog: kind<[studioId: Id, bookingId: Id]>('door-log'),
  numbers: kind<[firstDay: string, lastDay: string, studioId: Id]>('numbers'),
  bookers: kind<[userIds: readonly string[]]>('bookers'),
  developerPages: kind<[userId: Id]>('developer-pages'),
  testBookings: kind<[userId: Id]>('test-bookings'),
  storedBooking: kind<[bookingId: string]>('stored-booking'),
} as const;

/** The queries that show bookings: they are read again after a change. */
export const BOOKING_CHANGES = [
  queryKeys.staffBooking.all,
  queryKeys.staffDay.all,
  queryKeys.staffBookings.all,
  queryKeys.customers.all,
  queryKeys.customerBookings.all,
  queryKeys.alerts.all,
  queryKeys.availability.all,
];
