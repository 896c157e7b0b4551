import { cancelledAt } from '../identity.ts';
import type { Permission } from '../permissions.ts';
import { formatStudioDateTime, formatStudioTime } from '../studio-time.ts';
import { describeUndone } from './jobs.ts';
import { describeProblem } from './problems.ts';

/** Every kind of alert that `public.staff_alerts()` returns. */
export const ALERT_KINDS = [
  'id_waiting',
  'id_missing',
  'refund_failed',
  'code_held',
  'dispute',
  'mail_bounced',
  'job_failing',
  'job_late',
  'door_closed',
  'reported',
  'blocked_booking',
  'code_missing',
  'lock_unknown',
  'lock_offline',
  'battery_low',
  'ledger_difference',
  'secret_stays',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Something that staff have to deal with. */
export type Alert = {
  readonly kind: AlertKind;
  readonly since: Date;
  /** The instant by which staff have to act. */
  readonly due: Date | null;
  readonly job: { readonly id: string; readonly kind: string; readonly tries: number } | null;
  /** The reason, as the program stores it. */
  readonly problem: string | null;
  readonly booking: {
    readonly id: string;
    readonly reference: string;
    readonly studioName: string;
    readonly start: Date;
  } | null;
  /** The room that the alert is about. */
  readonly studioId: string | null;
  /** The name of that room. Also set for alerts about a booking. */
  readonly studioName: string | null;
  readonly customer: string | null;
};

/** What staff can do about an alert. `to`: the address of the page where they do it. `permission`: null if everyone who sees the alert may do it. */
type AlertAction = { readonly label: string; readonly to: string; readonly permission: Permission | null };

/** An alert in words for people. */
export type AlertWords = {
  readonly title: string;
  /** What happened and what happens next, as sentences without full stops. */
  readonly why: readonly string[];
  /** Identifies the problem for those who run the server. Null if the words are enough. */
  readonly support: string | null;
  readonly action: AlertAction;
  /** Whether waiting harms a customer or costs money. */
  readonly isUrgent: boolean;
};

type Words = {
  readonly title: (alert: Alert) => string;
  readonly why: (alert: Alert) => readonly (string | null)[];
  readonly action: (alert: Alert) => AlertAction;
  readonly isUrgent?: true;
};

const tab = (name: string): string => `/admin?tab=${name}`;
const panelPath = (reference: string): string => `${tab('today')}&booking=${encodeURIComponent(reference)}`;
/** Returns the key of an alert, which identifies it in the address of Today and in the list there. */
export const alertKey = ({ kind, job, booking, studioName, since }: Omit<Alert, 'customer'>): string =>
  `${kind}.${job?.id ?? booking?.id ?? studioName ?? since.getTime()}`;
/** The address of Today that leads to an alert. */
export const alertAddress = (alert: Alert): string => `${tab('today')}&alert=${encodeURIComponent(alertKey(alert))}`;

const action = (label: string, to: string, permission: Permission | null = null): AlertAction => ({
  label,
  to,
  permission,
});
/** Leads to the booking. An alert without a booking leads to itself in the list, which offers to try again. */
const openBooking = (alert: Alert): AlertAction =>
  alert.booking === null
    ? action('Try again', alertAddress(alert))
    : action('Open booking', panelPath(alert.booking.reference), 'bookings');
/** Opens the form of the room. If the room's id is unknown, the address has its name instead. */
function fixLock({ studioId, studioName }: Alert): AlertAction {
  const room = studioId ?? studioName;
  return action('Fix lock', tab('rooms') + (room === null ? '' : `&room=${encodeURIComponent(room)}`), 'settings');
}
const openDoors = (): AlertAction => action('Go to Doors', tab('doors'), 'bookings');

const describedProblem = ({ problem, job }: Alert) =>
  problem === null || job === null ? null : describeProblem(problem, job.kind);
const explainProblem = (alert: Alert): string | null => describedProblem(alert)?.words ?? null;
const isLockMissing = (alert: Alert): boolean => describedProblem(alert)?.fix === 'lock';
/** Formats a reason of the payment provider, such as product_not_received. */
const formatReason = ({ problem }: Alert): string | null =>
  problem === null ? null : `Reason: ${problem.replaceAll('_', ' ')}`;
const dueBy = ({ due }: Alert, words: string): string | null =>
  due === null ? null : `${words} ${formatStudioDateTime(due, 'short')}`;
const getStudioName = ({ studioName }: Alert): string => studioName ?? 'a studio';
const getCustomerName = ({ customer }: Alert): string => customer ?? 'A customer';

/** Returns what happens to a booking without a verified ID unless staff decide otherwise. */
function describeCancellation({ booking, since }: Alert): string | null {
  if (booking === null) return null;
  const at = cancelledAt(booking.start, since);
  if (at === null) return 'It is not cancelled automatically. Decide whether to allow the session';
  return `It is cancelled with a full refund at ${formatStudioTime(at)} unless you verify the ID or allow the session`;
}

const WORDS: Readonly<Record<AlertKind, Words>> = {
  id_waiting: {
    title: (alert) => `${getCustomerName(alert)} is waiting for an ID review`,
    why: () => ['They cannot book until you decide'],
    action: () => action('Review ID', tab('id-review'), 'identity'),
  },
  id_missing: {
    title: (alert) => `${getCustomerName(alert)} no longer has a verified ID`,
    why: (alert) => [describeCancellation(alert)],
    action: (alert) => action('Review booking', alertAddress(alert)),
    isUrgent: true,
  },
  refund_failed: {
    title: () => 'A refund failed',
    why: (alert) => [explainProblem(alert)],
    action: (alert) => (alert.job === null ? openBooking(alert) : action('Try again', alertAddress(alert), 'money')),
    isUrgent: true,
  },
  code_held: {
    title: (alert) => `${getCustomerName(alert)}’s code is on hold: payment disputed`,
    why: (alert) => [
      formatReason(alert),
      dueBy(alert, 'Decide by'),
      'If you don’t decide by then, the code stays on hold and the customer is asked to call you. Nothing is refunded automatically',
    ],
    action: (alert) => action('Review dispute', alertAddress(alert), 'money'),
    isUrgent: true,
  },
  dispute: {
    title: () => 'A payment is disputed',
    why: (alert) => [
      formatReason(alert),
      dueBy(alert, 'Respond by'),
      'Download the evidence and submit it to the payment provider. The customer’s bank decides',
    ],
    action: (alert) => action('View evidence', alertAddress(alert), 'money'),
    isUrgent: true,
  },
  mail_bounced: {
    title: ({ job }) => describeUndone(job?.kind ?? '', 'refused'),
    why: () => ['Call the customer, or correct the address and try again'],
    action: openBooking,
  },
  job_failing: {
    title: ({ job, booking }) => describeUndone(job?.kind ?? '', 'open', booking),
    why: (alert) => [
      explainProblem(alert),
      `Tried ${alert.job?.tries === 1 ? 'once' : `${alert.job?.tries ?? 0} times`}. We’ll keep trying`,
    ],
    action: (alert) => (isLockMissing(alert) ? fixLock(alert) : action('Try again', alertAddress(alert))),
  },
  job_late: {
    title: ({ job, booking }) => describeUndone(job?.kind ?? '', 'late', booking),
    why: (alert) => [explainProblem(alert), alert.booking === null ? null : 'We won’t try again'],
    action: openBooking,
  },
  door_closed: {
    title: (alert) => `${getCustomerName(alert)} can’t open the door`,
    why: () => ['Open the door from here, or call them'],
    action: () => action('Open door', tab('doors'), 'bookings'),
    isUrgent: true,
  },
  reported: {
    title: (alert) =>
      `${getCustomerName(alert)} ${alert.problem === 'lost' ? 'left something behind' : 'reported a problem'}`,
    why: () => [],
    action: () => action('Answer report', tab('incidents'), 'bookings'),
  },
  blocked_booking: {
    title: (alert) => `${getCustomerName(alert)} is blocked and has a paid booking`,
    why: () => ['The access code still works. Keep the booking, or open it to cancel'],
    action: openBooking,
  },
  code_missing: {
    title: () => 'The lock has not accepted the code',
    why: () => ['The customer can’t get in without a code'],
    action: openBooking,
    isUrgent: true,
  },
  lock_unknown: {
    title: (alert) => `The lock service does not know the lock of ${getStudioName(alert)}`,
    why: () => ['Sessions there get no door codes until this is fixed'],
    action: fixLock,
    isUrgent: true,
  },
  lock_offline: {
    title: (alert) => `The lock of ${getStudioName(alert)} is offline`,
    why: () => ['It can’t receive codes. Check the room’s bridge and Wi-Fi'],
    action: openDoors,
    isUrgent: true,
  },
  battery_low: {
    title: (alert) => `Change the lock battery of ${getStudioName(alert)}: ${alert.problem ?? ''}`,
    why: () => [],
    action: openDoors,
  },
  ledger_difference: {
    title: ({ problem }) => `Differences with the payment provider: ${problem ?? ''}`,
    why: () => [],
    action: () => action('Go to Numbers', tab('numbers'), 'money'),
  },
  secret_stays: {
    title: (alert) => `A code that ${alert.customer ?? 'a former colleague'} knows still opens ${getStudioName(alert)}`,
    why: (alert) => [
      dueBy(alert, 'It works until'),
      'They no longer have the permission to see it, but this lock can’t remove codes. Secure the room another way if needed',
    ],
    action: () => action('Go to Staff', tab('staff'), 'owner'),
    isUrgent: true,
  },
};

/** Creates an alert that gets its own mail. The mail's subject names no customer. */
export const alertAbout = (kind: AlertKind, since: Date, booking: Alert['booking']): Alert => ({
  kind,
  since,
  booking,
  customer: null,
  due: null,
  job: null,
  problem: null,
  studioId: null,
  studioName: booking?.studioName ?? null,
});

/** Describes an alert to people, for the page and for mails. */
export function describeAlert(alert: Alert): AlertWords {
  const { title, why, action, isUrgent } = WORDS[alert.kind];
  return {
    title: title(alert),
    why: why(alert).flatMap((part) => part ?? []),
    support: describedProblem(alert)?.support ?? null,
    action: action(alert),
    isUrgent: isUrgent === true,
  };
}
