import { describe, expect, test } from 'vitest';
import { createBookingModel, parseSize } from './booking-model.ts';
import { FAULT_NAMES, type Fault } from './faults.ts';
import { PROPERTIES } from './invariants.ts';
import { type Found, renderPage } from './page.ts';
import { search, type Violation } from './search.ts';
import { SIZES } from './sizes.ts';
import { getRows, type Size } from './state.ts';
import { ACTORS, type Step, STEP_NAMES } from './steps.ts';

function toSize(text: string): Size {
  const size = parseSize(text);
  if (size === null) throw new Error(`${text} is not a size`);
  return size;
}

/** The size with which each fault is searched: a fault of the last property needs all states, so it gets a small size. */
const getFaultSize = (fault: Fault): string => (fault === 'release-open-only' ? '2x2x1' : '2x2x2');

const violations = new Map<Fault, Violation<Step>>();
function findFault(fault: Fault): Violation<Step> {
  const cached = violations.get(fault);
  if (cached !== undefined) return cached;
  const { violation } = search(createBookingModel(toSize(getFaultSize(fault)), fault), { maxStates: 1_000_000 });
  if (violation === null) throw new Error(`the fault ${fault} is not found`);
  violations.set(fault, violation);
  return violation;
}

describe('the protocol', () => {
  test.each(SIZES.filter(({ part }) => part === 'test'))(
    'breaks no property in any of the $states states of $size',
    { timeout: 300_000 },
    ({ size, states, depth, toEnd }) => {
      const result = search(createBookingModel(toSize(size), null), { maxStates: states });
      expect(result).toEqual({ states, depth, complete: true, toGoal: toEnd, violation: null });
    },
  );

  test('takes each of its steps', { timeout: 60_000 }, () => {
    const { initial, next, key } = createBookingModel(toSize('2x2x2'), null);
    const taken = new Set<string>();
    const seen = new Set<string>();
    let level = [initial];
    for (let depth = 0; depth < 13; depth += 1) {
      const found = level.flatMap((state) => next(state));
      for (const { step } of found) taken.add(step.name);
      level = found.flatMap(({ state }) => (seen.has(key(state)) ? [] : (seen.add(key(state)), [state])));
    }
    // The protocol reads and acts in one step. A separate step for the read exists only with a fault.
    expect(STEP_NAMES.filter((name) => !taken.has(name))).toEqual(['find-no-session']);
  });

  test('gives states that differ in names the same key, and others different ones', () => {
    const { initial, next, key } = createBookingModel(toSize('3x3x2'), null);
    const holds = next(initial).filter(({ step }) => step.name === 'hold');
    expect(holds).toHaveLength(18);
    expect(new Set(holds.map(({ state }) => key(state))).size).toBe(2);
    const [first] = holds;
    const after = first === undefined ? [] : next(first.state);
    const seconds = after.filter(({ step }) => step.name === 'hold');
    // Another customer takes one or two of the two remaining slots.
    expect(new Set(seconds.map(({ state }) => key(state))).size).toBe(2);
    expect(seconds.every(({ state }) => getRows(state).length === 2)).toBe(true);
  });
});

describe('every fault is found', () => {
  test.each(FAULT_NAMES)('%s', { timeout: 120_000 }, (fault) => {
    const { name, steps } = findFault(fault);
    expect(PROPERTIES).toContain(name);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.every((step) => step.name in ACTORS)).toBe(true);
  });

  test('and each property is broken by one of them', { timeout: 300_000 }, () => {
    const broken = new Set(FAULT_NAMES.map((fault) => findFault(fault).name));
    expect(PROPERTIES.filter((name) => !broken.has(name))).toEqual([]);
  });
});

/** After an intended change, run `node_modules/.bin/vitest run simulation/model -u` with the project's Node and review the changes in the page. */
test('docs/model.md is what the model says', { timeout: 300_000 }, async () => {
  const found = Object.fromEntries(FAULT_NAMES.map((fault) => [fault, findFault(fault)]));
  // Every fault has an entry.
  await expect(renderPage(found as Found)).toMatchFileSnapshot('../../docs/model.md');
});
