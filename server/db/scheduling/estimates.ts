import { createMovingAverages } from './moving-averages.ts';
import type { Ticket } from './ticket.ts';
import type { WorkClass } from '../work-class.ts';

/** Estimates how long work will take, from recent work of the same caller and with the same statement. */
export type Estimates = {
  /** Adds the time for which work occupied its slot. `delayedOthers`: whether other callers' work waited meanwhile. */
  addWork(ticket: Ticket, ms: number, delayedOthers: boolean): void;
  /** Adds the time of a single statement. `first`: whether it includes the round trip to the database, unlike that of the next in a batch. */
  addStatement(text: string, ms: number, first: boolean): void;
  /** Returns the rank of waiting work. The lowest rank goes first. */
  rank(ticket: Ticket): number;
  /** Whether a statement has been brief so far, so that others may wait for it in a batch. */
  isBrief(text: string): boolean;
  /** Whether work has to wait because long work has just run and this work may be long too. */
  isHeldBack(ticket: Ticket): boolean;
  /** Returns the milliseconds until no work is held back. */
  heldBackMs(): number;
};

/** Number of samples before the average of a caller, or of a statement in a batch, is trusted. */
const CALLER_SAMPLES = 10;
const BRIEF_SAMPLES = 5;
/** All callers contribute to the average of a statement, so for its rank one sample is enough. */
const TEXT_SAMPLES = 1;
/** The expected duration of work whose caller and statement are both unknown. */
const UNKNOWN_MS = 40;
/** A brief statement may take this many milliseconds more than `BRIEF_TIMES` times the briefest one. */
const BRIEF_MS = 5;
/** On a busy machine every statement is slow, so a brief statement may take this many times as long as the briefest one. */
const BRIEF_TIMES = 2;
/** The maximum time for which work is held back after long work. */
const HOLD_BACK_MAX_MS = 2_000;
/** The classes whose long work is held back. */
const HELD_BACK: ReadonlySet<WorkClass> = new Set(['customer', 'guest']);
const CALLERS_MAX = 10_000;
const TEXTS_MAX = 1_000;

/**
 * `longMs`: after work of a customer or guest that took longer than this while other callers waited, no further potentially long work starts
 * for as long as the first one took. Brief work that waits, including several statements of one request, therefore does not meet a second
 * long one. Null: nothing is held back.
 */
export function createEstimates(now: () => number, longMs: number | null): Estimates {
  const callers = createMovingAverages(CALLERS_MAX, now);
  const texts = createMovingAverages(TEXTS_MAX, now);
  const textMean = ({ text }: Ticket): number | null => (text === undefined ? null : texts.mean(text, TEXT_SAMPLES));
  let heldBackUntil = Number.NEGATIVE_INFINITY;
  return {
    addWork(ticket, ms, delayedOthers) {
      callers.add(ticket.caller, ms);
      if (longMs !== null && delayedOthers && ms >= longMs && HELD_BACK.has(ticket.workClass))
        heldBackUntil = now() + Math.min(ms, HOLD_BACK_MAX_MS);
    },
    addStatement(text, ms, first) {
      const previous = first ? null : texts.mean(text, 1);
      if (previous === null || ms > previous) texts.add(text, ms);
    },
    // The caller's average comes first: another caller's values can make a statement with the same text long.
    rank(ticket) {
      const { caller } = ticket;
      const ms =
        callers.mean(caller, CALLER_SAMPLES) ?? textMean(ticket) ?? Math.max(UNKNOWN_MS, callers.mean(caller, 1) ?? 0);
      return Math.floor(Math.log2(Math.max(1, ms)));
    },
    isBrief(text) {
      const ms = texts.mean(text, BRIEF_SAMPLES);
      return ms !== null && ms < BRIEF_MS + BRIEF_TIMES * texts.lowest(BRIEF_SAMPLES);
    },
    // The statement's average comes first: a caller must not be able to hide long work among brief work.
    isHeldBack(ticket) {
      if (longMs === null || now() >= heldBackUntil || !HELD_BACK.has(ticket.workClass)) return false;
      const ms = textMean(ticket) ?? callers.mean(ticket.caller, CALLER_SAMPLES);
      return ms === null || ms >= longMs;
    },
    heldBackMs: () => Math.max(0, heldBackUntil - now()),
  };
}
