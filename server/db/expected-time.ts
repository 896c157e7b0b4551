import { createDurations } from './durations.ts';
import { currentCaller } from './request-scope.ts';
import type { WorkClass } from './work-class.ts';

/** A statement that waits for a slot. `caller`: callers of one class take turns. `text`: the statement's text without values. */
export type Turn = { readonly workClass: WorkClass; readonly caller: string; readonly text?: string };

/**
 * Returns the turn of a statement that the server runs as itself. It waits in the lane of the caller whose request it belongs to, so that a
 * caller waits behind its own statements and not behind those of all callers in its class. `workClass` null: the server's own work, which
 * shares one lane.
 */
export function ownTurn(workClass: WorkClass | null, text?: string): Turn {
  const caller = workClass === null || workClass === 'server' ? 'server' : (currentCaller() ?? workClass);
  return { workClass: workClass ?? 'server', caller, ...(text === undefined ? {} : { text }) };
}

/** Estimates how long a statement will take, from recent statements. */
export type ExpectedTime = {
  /** `inTheWay`: whether another statement waited for this one. */
  add(turn: Turn, ms: number, inTheWay: boolean): void;
  /** Returns the rank of a statement. A lower rank goes first; statements of equal rank take turns. */
  rank(turn: Turn): number;
  /** Whether a statement must wait because a long one has just run and this one may be long too. */
  isHeldBack(turn: Turn): boolean;
  /** Returns the milliseconds until no statement is held back. */
  heldBackFor(): number;
};

/** Number of samples before a caller's average is trusted. Until then, the text's average or `UNKNOWN_MS` counts instead. */
const KNOWN = 10;
/** The expected duration of a statement whose caller and text are both unknown. */
const UNKNOWN_MS = 40;
/** All callers contribute to the average of a text, so one sample is enough. */
const KNOWN_TEXT = 1;
/** The maximum time for which statements are held back after a long one. */
const HOLD_BACK_MAX_MS = 2_000;
/** The classes whose long statements are held back. */
const HELD_BACK: ReadonlySet<WorkClass> = new Set(['customer', 'guest']);

/**
 * `longMs`: after a statement of a customer or guest that took longer than this while another statement waited, no further potentially long
 * statement starts for as long as the first one took. Brief statements that wait, including several of one request, therefore do not meet a
 * second long one. Null: nothing is held back.
 */
export function createExpectedTime(now: () => number, longMs: number | null): ExpectedTime {
  const callers = createDurations(now);
  const texts = createDurations(now);
  const ofText = ({ text }: Turn): number | null => (text === undefined ? null : texts.mean(text, KNOWN_TEXT));
  let until = Number.NEGATIVE_INFINITY;
  return {
    add(turn, ms, inTheWay) {
      callers.add(turn.caller, ms);
      if (turn.text !== undefined) texts.add(turn.text, ms);
      if (longMs !== null && inTheWay && ms >= longMs && HELD_BACK.has(turn.workClass))
        until = now() + Math.min(ms, HOLD_BACK_MAX_MS);
    },
    // The caller's average comes first: another caller's values can make a statement with the same text long.
    rank(turn) {
      const ms =
        callers.mean(turn.caller, KNOWN) ?? ofText(turn) ?? Math.max(UNKNOWN_MS, callers.mean(turn.caller, 1) ?? 0);
      return Math.floor(Math.log2(Math.max(1, ms)));
    },
    // The text's average comes first: a caller must not be able to hide a long statement among brief ones.
    isHeldBack(turn) {
      if (longMs === null || now() >= until || !HELD_BACK.has(turn.workClass)) return false;
      const ms = ofText(turn) ?? callers.mean(turn.caller, KNOWN);
      return ms === null || ms >= longMs;
    },
    heldBackFor: () => Math.max(0, until - now()),
  };
}
