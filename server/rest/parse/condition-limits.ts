import { type Bounds, checkSteps, refuseOver } from '../core/bounds.ts';
import { restErrors } from '../core/errors.ts';
import { likeFault, PATTERN_MAX, readArray, regexFault, searchFault } from './pattern.ts';
import type { Condition, Read, Test } from './query.ts';

/** Refuses (400) conditions that could cost too much, before any lookup or query. */
export function checkConditions(read: Read, bounds: Bounds): void {
  for (const param of read.params) if (param.kind === 'condition') checkSearches(param.condition, read);
  if (bounds.patterns === null) return;
  const counted = { patterns: 0, conditions: 0, members: 0 };
  const check = (condition: Condition): void => {
    if (condition.kind === 'logic') return condition.of.forEach(check);
    counted.conditions += 1;
    checkSteps(condition.field.path.length, bounds);
    const { test } = condition;
    if (test.kind === 'in') counted.members += (read.values[test.value] ?? '').split(',').length;
    else if (test.kind !== 'is') counted.patterns += checkPattern(test, read.values[test.value] ?? '');
  };
  for (const param of read.params) if (param.kind === 'condition') check(param.condition);
  refuseOver('conditions', counted.conditions, bounds.conditions);
  refuseOver('members of lists', counted.members, bounds.members);
  refuseOver('patterns and text searches', counted.patterns, bounds.patterns);
}

/** Refuses a text search that PostgreSQL cannot read, for every caller. */
function checkSearches(condition: Condition, read: Read): void {
  if (condition.kind === 'logic') return condition.of.forEach((inner) => checkSearches(inner, read));
  const { test } = condition;
  if (test.kind !== 'search') return;
  const fault = searchFault(read.values[test.value] ?? '');
  if (fault !== null) throw restErrors.costlyPattern('text search', fault);
}

/** Checks the pattern or search of a test; returns how many it contains. */
function checkPattern(test: Exclude<Test, { kind: 'in' | 'is' }>, value: string): number {
  if (test.kind === 'search') {
    if (value.length > PATTERN_MAX)
      throw restErrors.costlyPattern('text search', `is longer than ${PATTERN_MAX} characters`);
    return 1;
  }
  const findFault = FAULTS.get(test.operator);
  if (!findFault) return 0;
  const patterns = test.quantifier === null ? [value] : readArray(value);
  if (patterns === null) throw restErrors.costlyPattern(test.operator, 'is not in a list such as {a,b}');
  for (const pattern of patterns) {
    const fault = findFault(pattern);
    if (fault !== null) throw restErrors.costlyPattern(test.operator, fault);
  }
  return patterns.length;
}

const FAULTS: ReadonlyMap<string, (text: string) => string | null> = new Map([
  ['like', likeFault],
  ['ilike', likeFault],
  ['match', regexFault],
  ['imatch', regexFault],
]);
