import { restErrors } from './errors.ts';

/** Limits on one request. */
export type Bounds = {
  /** Null skips the checks of conditions, patterns and searches. */
  readonly patterns: number | null;
  readonly conditions: number;
  /** Maximum number of members of all `in` lists together. */
  readonly members: number;
  readonly orders: number;
  /** Maximum number of steps of one JSON path. */
  readonly steps: number;
  /** Maximum number of columns of all levels, including those that `*` stands for. */
  readonly columns: number;
  /** How often one level may select the same column. */
  readonly copies: number;
  readonly embeds: number;
  readonly depth: number;
  /** Maximum number of rows that nested lists could return if each were full. */
  readonly possibleRows: number;
  /** Maximum number of rows that all embedded lists may actually return. */
  readonly rows: number;
  /** Maximum number of rows of one insert. */
  readonly newRows: number;
  /** Maximum number of members of all objects and lists of a JSON body, or of cells of a CSV body. */
  readonly bodyMembers: number;
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
    bodyMembers: 5_000,
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
    bodyMembers: 25_000,
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
    bodyMembers: Infinity,
  },
};

export function checkSteps(steps: number, bounds: Bounds): void {
  refuseOver('steps of a path into JSON', steps, bounds.steps);
}

/** Refuses (400) a count above its limit. */
export function refuseOver(what: string, count: number, max: number): void {
  if (count > max) throw restErrors.tooCostly(what, max);
}
