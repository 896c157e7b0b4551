import { createDurations } from './durations.ts';
import { currentCaller } from './request-scope.ts';
import type { WorkClass } from './work-class.ts';

/** Who waits for a slot. `caller`: callers of one class take turns. `text`: what the statement does; its text without values. */
export type Turn = { readonly workClass: WorkClass; readonly caller: string; readonly text?: string };

/**
 * The turn of a statement that the server runs as itself: in the lane of whose request it belongs to, so that a caller waits behind its own
 * statements and not behind those of all callers in its class. `workClass` null: the server's own work, in one lane.
 */
export function ownTurn(workClass: WorkClass | null, text?: string): Turn {
  const caller = workClass === null || workClass === 'server' ? 'server' : (currentCaller() ?? workClass);
  return { workClass: workClass ?? 'server', caller, ...(text === undefined ? {} : { text }) };
}

/** How long a statement will probably take, by those that ran lately. */
export type ExpectedTime = {
  /** `inTheWay`: somebody else waited for it. */
  add(turn: Turn, ms: number, inTheWay: boolean): void;
  /** The rank of a statement: those of one rank take turns, a lower one goes first. */
  rank(turn: Turn): number;
  /** Whether a statement must wait, because a long one has just run and this one may be long too. */
  isHeldBack(turn: Turn): boolean;
  /** Milliseconds until nothing is held back. */
  heldBackFor(): number;
};

/** After so many statements a caller is known, and may go before those who are not. */
const KNOWN = 10;
/** What a statement is expected to take when nothing is known about its caller and its text. */
const UNKNOWN_MS = 40;
/** A text was used by anybody, so one use is enough. */
const KNOWN_TEXT = 1;
/** The longest that statements are held back after one. */
const HOLD_BACK_MAX_MS = 2_000;
/** Whose long statements are held back. */
const HELD_BACK: ReadonlySet<WorkClass> = new Set(['customer', 'guest']);

/**
 * `longMs`: after a statement of a customer or a guest that took longer than this and that somebody else waited for, no other one that may be long starts for as long as it
 * took. In between those who wait for brief statements, several of one request too, do not meet another long one. Null: nothing is held back.
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
    // The caller comes first: another caller's values can make a statement with the same text long.
    rank(turn) {
      const ms =
        callers.mean(turn.caller, KNOWN) ?? ofText(turn) ?? Math.max(UNKNOWN_MS, callers.mean(turn.caller, 1) ?? 0);
      return Math.floor(Math.log2(Math.max(1, ms)));
    },
    // The text comes first: a caller must not hide a long statement among brief ones.
    isHeldBack(turn) {
      if (longMs === null || now() >= until || !HELD_BACK.has(turn.workClass)) return false;
      const ms = ofText(turn) ?? callers.mean(turn.caller, KNOWN);
      return ms === null || ms >= longMs;
    },
    heldBackFor: () => Math.max(0, until - now()),
  };
}
