/** Formats milliseconds as "1:05:09", "4:59" or "0:07". Hours are left out if there are none, and the value never falls below zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Formats milliseconds like `countdown`, with days in front: "3 days 4:05:09". */
export function countdownLong(ms: number): string {
  const days = Math.floor(ms / 86_400_000);
  if (days < 1) return countdown(ms);
  return `${days} ${days === 1 ? 'day' : 'days'} ${countdown(ms % 86_400_000)}`;
}

/** Groups the digits of a PIN so that people can read them out: "123 456 789", "1234 5678". */
export function groupPin(pin: string): string[] {
  if (pin.length <= 4) return [pin];
  const size = pin.length % 3 === 0 ? 3 : 4;
  return Array.from({ length: Math.ceil(pin.length / size) }, (_, index) =>
    pin.slice(index * size, (index + 1) * size),
  );
}

/**
 * Intervals at which the code is read again: once a minute by a page that receives changes; without live changes, more often while the code
 * is awaited.
 */
const LIVE_MS = 60_000;
const AWAITED_MS = 3_000;
const SHOWN_MS = 15_000;
/** Milliseconds after the release for which a page polls for the code. No message announces the release, and the server's clock may be behind. */
const RELEASE_MS = 15_000;

/** Returns the number of milliseconds until the code is read again. `access`: the last answer; `live`: the page receives changes. */
export function nextLook(
  access: { readonly pin: string | null; readonly held: boolean; readonly releaseAt: string } | undefined,
  live: boolean,
  now: Date,
): number {
  if (access?.held === true) return live ? LIVE_MS : SHOWN_MS;
  if (!live) return access?.pin === null ? AWAITED_MS : SHOWN_MS;
  if (access === undefined || access.pin !== null) return LIVE_MS;
  const ahead = Date.parse(access.releaseAt) - now.getTime();
  if (ahead > 0) return Math.min(ahead, LIVE_MS);
  return ahead > -RELEASE_MS ? AWAITED_MS : LIVE_MS;
}

/** `opened`: the newest code has opened the door. `none`: no code works, so the customer has to make a new one. */
export type PinPhase = 'ended' | 'held' | 'opened' | 'shown' | 'waiting' | 'requesting' | 'none';

/** Decides what the PIN page shows now. The page never shows a PIN of an ended session. */
export function pinPhase(
  access: {
    readonly pin: string | null;
    readonly held: boolean;
    readonly releaseAt: string;
    readonly openedAt: string | null;
    readonly codesLeft: number;
    readonly codesPerBooking: number;
  },
  end: Date,
  now: Date,
): PinPhase {
  if (now >= end) return 'ended';
  if (access.held) return 'held';
  // A copy kept by an older version of the page has neither `openedAt` nor `codesPerBooking`.
  if (access.openedAt) return 'opened';
  if (access.pin !== null) return 'shown';
  if (now.getTime() < Date.parse(access.releaseAt)) return 'waiting';
  return access.codesLeft === access.codesPerBooking ? 'requesting' : 'none';
}
