/** The name in two lines, as in the logo. */
const NAME_LINES = ['24/7', 'DJ Studios'] as const;
const NAME = NAME_LINES.join(' ');

/** The details that the business begins with (rules/business/business.ts). Staff change them in the settings; tagline, hours and time zone are fixed. */
export const venue = {
  name: NAME,
  nameLines: NAME_LINES,
  /** The seller's name on documents. */
  legalName: NAME,
  tagline: 'START LOCAL. MOVE GLOBAL.',
  address: 'Sydney NSW',
  hours: '24/7',
  email: 'hello@example.com',
  instagram: '@djstudios',
  /** Shown beside times, because a visitor's own clock may differ. */
  timeZoneLabel: 'Sydney time',
  /** Empty until registered: documents then say "Receipt" instead of "Tax invoice". */
  abn: '',
} as const;

/** The numbers of the studio's rules. The first eight are those that the business begins with; staff change them in the settings. */
export const constants = {
  holdMinutes: 15,
  horizonDays: 90,
  freeCancelHours: 24,
  termsVersion: '2025-10',
  maxLiveHolds: 2,
  holdsPerHour: 6,
  maxUnpaidHours: 48,
  maxUnpaidHoursOfBooking: 24,
  sessionMinutes: 31,
  /** A mailed link to pay holds the hours for this long, and ends this long before the start. */
  linkHoldMinutes: 24 * 60,
  linkLeadMinutes: 60,
  maxHours: 24,
  pinLeadMinutes: 5,
  releaseLeadMinutes: 15,
  requestLeadMinutes: 60,
  immediateWithinMinutes: 60,
  /** The lights go on this long before a session and off this long after it. */
  lightsBeforeMinutes: 5,
  lightsAfterMinutes: 10,
  cardMinimumCents: 50,
  /** Payments that take days are offered only for sessions at least this many days away. */
  delayedPaymentLeadDays: 7,
  /** For how many spans to come a person can be on the wait list. */
  maxWaitlistEntries: 5,
  /** How many people a customer can bring at a time, and how many invitations a booking has in all. */
  maxCrew: 4,
  maxCrewInvitations: 20,
  idMaxBytes: 10 * 1024 * 1024,
  /** A photo that waits for a person is deleted after this many days at the latest, so staff decide by then. */
  idReviewDays: 7,
} as const;
