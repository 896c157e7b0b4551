import { expect, test } from 'vitest';
import { type Model, search } from './search.ts';

type Position = { readonly x: number; readonly y: number };

/** Walks on a grid of 4 × 4, one step to the right or up. A symmetric one counts (1, 2) and (2, 1) as one. */
const createWalk = (changes: Partial<Model<Position, string>> = {}): Model<Position, string> => ({
  initial: { x: 0, y: 0 },
  next: ({ x, y }) => [
    ...(x < 3 ? [{ step: 'right', state: { x: x + 1, y } }] : []),
    ...(y < 3 ? [{ step: 'up', state: { x, y: y + 1 } }] : []),
  ],
  key: ({ x, y }) => `${x},${y}`,
  findViolation: () => null,
  findStepViolation: () => null,
  goal: { name: 'the corner is reached', isReached: ({ x, y }) => x === 3 && y === 3, helps: () => true },
  ...changes,
});
const all = { maxStates: 1_000 };

test('finds all states, the greatest depth and the most steps to the goal', () => {
  expect(search(createWalk(), all)).toEqual({ states: 16, depth: 6, complete: true, toGoal: 6, violation: null });
});

test('counts states with the same key once', () => {
  const isSymmetric = { key: ({ x, y }: Position) => `${Math.min(x, y)},${Math.max(x, y)}` };
  expect(search(createWalk(isSymmetric), all)).toMatchObject({ states: 10, depth: 6, complete: true, toGoal: 6 });
});

test('finds the violation with the fewest steps, and repeats its steps with the same names', () => {
  const findViolation = ({ x, y }: Position) => (x === 2 && y === 1 ? 'not there' : null);
  const result = search(createWalk({ findViolation }), all);
  expect(result.complete).toBe(false);
  expect(result.violation?.name).toBe('not there');
  expect(result.violation?.steps.toSorted()).toEqual(['right', 'right', 'up']);
});

test('finds a step that breaks a property, also between states that are known already', () => {
  // Both ways to (1, 1) are found, and only the second one is forbidden.
  const findStepViolation = (before: Position, after: Position) =>
    before.y === 1 && after.x === 1 && after.y === 1 ? 'not this way' : null;
  const { violation } = search(createWalk({ findStepViolation }), all);
  expect(violation).toEqual({ name: 'not this way', steps: ['up', 'right'] });
});

test('finds the nearest state from which the goal cannot be reached by the steps that help', () => {
  const { goal } = createWalk();
  const { violation } = search(createWalk({ goal: { ...goal, helps: (_, step) => step === 'up' } }), all);
  expect(violation).toEqual({ name: 'the corner is reached', steps: [] });
  const isReached = ({ x }: Position) => x < 2;
  expect(search(createWalk({ goal: { ...goal, isReached } }), all).violation?.steps).toEqual(['right', 'right']);
});

test('stops at the bound on states', () => {
  expect(search(createWalk(), { maxStates: 5 })).toMatchObject({ complete: false, toGoal: null, violation: null });
});

test('reports the states found at each depth', () => {
  const found: number[] = [];
  search(createWalk(), { ...all, onDepth: (depth, states) => (found[depth] = states) });
  expect(found.slice(1)).toEqual([3, 6, 10, 13, 15, 16, 16]);
});
