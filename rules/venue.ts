/** The name in two lines, as in the logo. */
const NAME_LINES = ['24/7', 'DJ Studios'] as const;
const NAME = NAME_LINES.join(' ');

/** The initial details of the business (rules/business/business.ts). Staff change them in the settings; the tagline, hours and time zone are fixed. */
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
  /** Shown next to times, because a visitor's own clock may differ. */
  timeZoneLabel: 'Sydney time',
  /** Empty until the business is registered; documents are then titled "Receipt" instead of "Tax invoice". */
  abn: '',
} as const;

/** Numbers that the studio's rules use. The first eight are the initial values of settings that staff can change. */
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
  /** Minutes for which a mailed payment link holds the hours. The link expires `linkLeadMinutes` before the start at the latest. */
  linkHoldMinutes: 24 * 60,
  linkLeadMinutes: 60,
  maxHours: 24,
  pinLeadMinutes: 5,
  releaseLeadMinutes: 15,
  requestLeadMinutes: 60,
  immediateWithinMinutes: 60,
  /** How many minutes before a session its lights go on, and how many minutes after it they go off. */
  lightsBeforeMinutes: 5,
  lightsAfterMinutes: 10,
  cardMinimumCents: 50,
  /** Payment methods that take days are offered only for sessions at least this many days away. */
  delayedPaymentLeadDays: 7,
  /** The number of upcoming spans for which a person can be on the wait list. */
  maxWaitlistEntries: 5,
  /** How many people a customer can bring at a time, and how many invitations a booking has in total. */
  maxCrew: 4,
  maxCrewInvitations: 20,
  idMaxBytes: 10 * 1024 * 1024,
  /** A photo that awaits review is deleted after this many days at the latest, so staff have to decide by then. */
  idReviewDays: 7,
} as const;
