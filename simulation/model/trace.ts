/**
 * Replays traces on the model, to show that a program does only what the model allows.
 *
 * An adapter of the program writes each transaction and each event at the provider as the text of a step, such as `pay(s1)`, reads it with
 * `readStep`, and moves on with `takeStep`; a step that `isAllowed` refuses is one that the model does not know. The ids in the text are
 * those of the model: a new hold gets the lowest id that no row has before the step, each booking that a payment confirms the lowest one
 * that no row has once its hold has ended, and a request for a session the first unused place. `takeStep` compares only what the text
 * names, so that an adapter may leave out an id and find it in the result. What the model leaves out, such as a repeated webhook that
 * changes nothing, the adapter leaves out too.
 */
import { next, type Next } from './protocol.ts';
import type { State } from './state.ts';
import type { Step } from './steps.ts';

/** Takes a step from a state. Returns the whole step with the state after it; null if the model does not allow the step. */
export function takeStep(state: State, step: Step): Next | null {
  return next(state, null).find((allowed) => isMatch(allowed.step, step)) ?? null;
}

export const isAllowed = (state: State, step: Step): boolean => takeStep(state, step) !== null;

/** Follows a trace. Returns the state at its end, and the number of steps up to the first one that is not allowed. */
export function followTrace(
  initial: State,
  steps: readonly Step[],
): { readonly state: State; readonly followed: number } {
  let state = initial;
  for (const [followed, step] of steps.entries()) {
    const taken = takeStep(state, step);
    if (taken === null) return { state, followed };
    state = taken.state;
  }
  return { state, followed: steps.length };
}

const isMatch = (allowed: Step, step: Step): boolean =>
  allowed.name === step.name &&
  (step.customer === undefined || step.customer === allowed.customer) &&
  (step.booking === undefined || step.booking === allowed.booking) &&
  (step.session === undefined || step.session === allowed.session) &&
  (step.slots === undefined || step.slots.join() === allowed.slots?.join());
