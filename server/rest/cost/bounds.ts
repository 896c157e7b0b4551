import { restErrors } from '../errors.ts';
import type { Condition, Read, Test } from '../parse/query.ts';
import { likeFault, PATTERN_MAX, readArray, regexFault } from './pattern.ts';

/** Limits on what one request may ask for. */
export type Bounds = {
  /** Null: skip the checks of conditions, patterns and searches. */
  readonly patterns: number | null;
  readonly conditions: number;
  /** Members of all `in` lists together. */
  readonly members: number;
  readonly orders: number;
  /** Steps of one JSON path. */
  readonly steps: number;
  /** Columns of all levels, including those that `*` stands for. */
  readonly columns: number;
  /** How often one level may select the same column. */
  readonly copies: number;
  readonly embeds: number;
  readonly depth: number;
  /** Rows that nested lists could return if each were full. */
  readonly possibleRows: number;
  /** Rows that all embedded lists actually return. */
  readonly rows: number;
  /** Rows of one insert. */
  readonly newRows: number;
};

export type CallerClass = 'guest' | 'user' | 'service';
export const callerClass = (role: string): CallerClass =>
  role === 'anon' ? 'guest' : role === 'service_role' ? 'service' : 'user';

export const BOUNDS: Readonly<Record<CallerClass, Bounds>> = {
  guest: {
    patterns: 5,
    conditions: 50,
    members: 1_000,
    orders: 10,
    steps: 10,
    columns: 300,
    copies: 4,
    embeds: 8,
    depth: 3,
    possibleRows: 5_000_000,
    rows: 20_000,
    newRows: 100,
  },
  user: {
    patterns: 10,
    conditions: 100,
    members: 2_000,
    orders: 20,
    steps: 10,
    columns: 600,
    copies: 4,
    embeds: 16,
    depth: 4,
    possibleRows: 10_000_000,
    rows: 100_000,
    newRows: 1_000,
  },
  service: {
    patterns: null,
    conditions: Infinity,
    members: Infinity,
    orders: Infinity,
    steps: Infinity,
    columns: Infinity,
    copies: Infinity,
    embeds: Infinity,
    depth: Infinity,
    possibleRows: Infinity,
    rows: 1_000_000,
    newRows: Infinity,
  },
};

/** Refuses (400) conditions that could cost too much, before any lookup or query. */
export function checkConditions(read: Read, bounds: Bounds): void {
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

/** Checks the pattern or search of a test; returns how many it contains. */
function checkPattern(test: Exclude<Test, { kind: 'in' | 'is' }>, value: string): number {
  if (test.kind === 'search') {
    if (value.length > PATTERN_MAX)
      throw restErrors.costlyPattern('text search', `is longer than ${PATTERN_MAX} characters`);
    return 1;
  }
  const faultOf = FAULTS.get(test.operator);
  if (!faultOf) return 0;
  const patterns = test.quantifier === null ? [value] : readArray(value);
  if (patterns === null) throw restErrors.costlyPattern(test.operator, 'is not in a list such as {a,b}');
  for (const pattern of patterns) {
    const fault = faultOf(pattern);
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

export function checkSteps(steps: number, bounds: Bounds): void {
  refuseOver('steps of a path into JSON', steps, bounds.steps);
}

/** Refuses (400) a count above its limit. */
export function refuseOver(what: string, count: number, max: number): void {
  if (count > max) throw restErrors.tooCostly(what, max);
}
