/** The way in which a code reached the lock: four kinds are computed by the lock itself, one is written through the bridge. */
type CodeKind = 'onetime' | 'hourly' | 'daily' | 'permanent' | 'bridge';
export type Code = {
  readonly pin: string;
  readonly kind: CodeKind;
  /** Start of the code's window, in milliseconds. */
  readonly startsAt: number;
  /** End of the code's window, in milliseconds; null if it never ends. */
  readonly endsAt: number | null;
  readonly name: string;
  used: number;
};
export type Refused = { readonly opened: false; readonly reason: string };
export type Accepted = { readonly opened: true; readonly reason: string; readonly code: Code };

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Maximum number of codes that a lock stores. */
export const CODES_MAX = 199;
/** Number of consecutive unknown codes after which the keypad is locked for `LOCKED_OUT_MS`. */
export const WRONG_MAX = 5;
export const LOCKED_OUT_MS = 5 * 60_000;

/** Decides how the keypad reacts to a code at `now`. A code outside its window is refused, but does not count as a wrong try. */
export function decide(codes: readonly Code[], pin: string, now: number): Accepted | Refused {
  const matching = codes.filter((code) => code.pin === pin);
  if (matching.length === 0) return { opened: false, reason: 'wrong code' };
  const open = matching.filter((code) => code.startsAt <= now && (code.endsAt === null || now < code.endsAt));
  if (open.length === 0)
    return {
      opened: false,
      reason: matching.some((code) => code.startsAt > now) ? 'not yet valid' : 'no longer valid',
    };
  const refusals = open.map((code) => findRefusal(code, now));
  const code = open[refusals.indexOf(null)];
  return code ? { opened: true, reason: 'opened', code } : { opened: false, reason: refusals[0] ?? 'wrong code' };
}

function findRefusal(code: Code, now: number): string | null {
  if (code.kind === 'onetime' && code.used > 0) return 'already used';
  // First-use rule: a computed code for more than a day expires if it is not used in its first 24 hours.
  const long = code.kind !== 'bridge' && (code.endsAt === null || code.endsAt - code.startsAt > DAY);
  return long && code.used === 0 && now >= code.startsAt + DAY ? 'not used within 24 hours' : null;
}

/** Filters the codes that still take up memory. */
export function liveCodes(codes: readonly Code[], now: number): readonly Code[] {
  return codes.filter((code) => code.endsAt === null || code.endsAt > now);
}

/** Log type of a decision: 20 one-time, 22 first use, 19 used again, 16 wrong. */
export function toLogType(decision: Accepted | Refused): number {
  if (!decision.opened) return 16;
  if (decision.code.kind === 'onetime') return 20;
  return decision.code.used > 0 ? 19 : 22;
}
