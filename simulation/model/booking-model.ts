/** The protocol with its properties, as a model that `search` can explore. */
import type { Fault } from './faults.ts';
import { EVERY_HOLD_ENDS, findViolation, hasNoHolds, isProlonged } from './invariants.ts';
import { createKey } from './key.ts';
import { next } from './protocol.ts';
import type { Model } from './search.ts';
import { createState, getRow, type Size, type State } from './state.ts';
import { ACTORS, type Step } from './steps.ts';

export const createBookingModel = (size: Size, fault: Fault | null): Model<State, Step> => ({
  initial: createState(size),
  next: (state) => next(state, fault),
  key: createKey(size.customers, size.slots),
  findViolation,
  findStepViolation: (before, after) => (isProlonged(before, after) ? EVERY_HOLD_ENDS : null),
  goal: { name: EVERY_HOLD_ENDS, isReached: hasNoHolds, helps: isUnasked },
});

/** Returns whether a step happens without a customer: holds end by such steps alone. The server ends only holds whose time is over. */
function isUnasked(before: State, { name, booking, session }: Step): boolean {
  if (ACTORS[name] === 'customer') return false;
  const isEnd = name === 'release' || name === 'close-session' || name === 'find-no-session';
  const hold = getRow(before, booking ?? before.sessions[session ?? -1]?.booking ?? null);
  return !isEnd || hold === null || hold.due;
}

const MAX_CUSTOMERS = 4;
const MAX_SLOTS = 4;
const MAX_SESSIONS = 6;

/** Parses a size such as `2x2x2`: customers, slots and payment sessions. Null if it is malformed or too large for the model. */
export function parseSize(text: string): Size | null {
  const [customers = 0, slots = 0, sessions = 0, ...rest] = text.split('x').map(Number);
  const isValid = (count: number, most: number): boolean => Number.isInteger(count) && count >= 1 && count <= most;
  if (rest.length > 0 || !isValid(customers, MAX_CUSTOMERS) || !isValid(slots, MAX_SLOTS)) return null;
  return isValid(sessions, MAX_SESSIONS) ? { customers, slots, sessions } : null;
}
