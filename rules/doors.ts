/** At this percentage or below, the battery of a lock needs the attention of staff. */
export const LOW_BATTERY_PERCENT = 20;

/** What a lock reports in its log. `code`: the code of a booking or of staff was used; `from_afar`: staff opened the door through the bridge. */
export const DOOR_EVENTS = [
  'code',
  'wrong_code',
  'master_code',
  'bluetooth',
  'card',
  'fingerprint',
  'from_inside',
  'from_afar',
  'locked',
  'break_in',
  'other',
] as const;
export type DoorEvent = (typeof DOOR_EVENTS)[number];

const WORDS: Readonly<Record<DoorEvent, string>> = {
  code: 'Opened with a code',
  wrong_code: 'Wrong code entered',
  master_code: 'Opened with the master code',
  bluetooth: 'Opened with Bluetooth',
  card: 'Opened with a card',
  fingerprint: 'Opened with a fingerprint',
  from_inside: 'Opened from inside',
  from_afar: 'Opened remotely by staff',
  locked: 'Locked',
  break_in: 'Break-in reported',
  other: 'Other report',
};

/** Names an entry of a door's log for people. */
export function describeDoorEvent(kind: string): string {
  return WORDS[DOOR_EVENTS.find((event) => event === kind) ?? 'other'];
}

/** Formats the distance of an instant from the start: "6 min after the start", "4 min before the start", "at the start". */
export function sinceStart(at: Date, start: Date): string {
  const minutes = Math.round((at.getTime() - start.getTime()) / 60_000);
  if (minutes === 0) return 'at the start';
  return `${Math.abs(minutes)} min ${minutes > 0 ? 'after' : 'before'} the start`;
}
/**
 * Computes the refund for minutes in which the door stayed closed: their share of the price in cents, rounded up to whole dollars, and at
 * most the price.
 */
export function closedDoorCents(priceCents: number, minutes: number, sessionMinutes: number): number {
  if (minutes <= 0 || sessionMinutes <= 0) return 0;
  const share = Math.ceil((priceCents * Math.min(minutes, sessionMinutes)) / sessionMinutes / 100) * 100;
  return Math.min(priceCents, share);
}

/** What the lock of a booking reports about its door. Times are instants as texts; null if it never happened or is unknown. */
export type DoorAnswer = {
  readonly online: boolean | null;
  readonly hasCode: boolean;
  readonly wrongAt: string | null;
  readonly openedAt: string | null;
};

/** The first step that the customer should take, given what the lock reports. */
export type DoorStep = 'time' | 'push' | 'digits' | 'code' | 'wake' | 'ask';

/**
 * Chooses the step for the first case that applies: the code does not work yet, the door was opened since the last wrong code, the digits
 * were wrong, the lock does not answer, the lock has no code; otherwise the keypad is asleep.
 */
export function doorStep(answer: DoorAnswer, worksFrom: Date, now: Date): DoorStep {
  if (now < worksFrom) return 'time';
  const [wrong, opened] = [answer.wrongAt, answer.openedAt].map((at) => (at === null ? 0 : Date.parse(at)));
  if (opened !== undefined && wrong !== undefined && opened > wrong) return 'push';
  if (wrong !== undefined && wrong > 0) return 'digits';
  if (answer.online === false) return 'ask';
  return answer.hasCode ? 'wake' : 'code';
}
