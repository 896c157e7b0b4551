import type { Table } from './tables.ts';

/** Conditions of filters that took too long for the rows of their table. New subscriptions with them are refused for a minute. */
export type SlowFilters = {
  add(table: Table, condition: string): void;
  has(table: Table, condition: string): boolean;
};

const REFUSED_MS = 60_000;

export function createSlowFilters(now: () => number = () => performance.now()): SlowFilters {
  const until = new Map<string, number>();
  const getKey = (table: Table, condition: string): string => `${table.relation} ${condition}`;
  return {
    add(table, condition) {
      for (const [key, end] of until) if (end <= now()) until.delete(key);
      until.set(getKey(table, condition), now() + REFUSED_MS);
    },
    has: (table, condition) => (until.get(getKey(table, condition)) ?? 0) > now(),
  };
}
