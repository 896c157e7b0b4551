import { LRUCache } from 'lru-cache';
import type { ShapeCost } from '../plan/cost.ts';
import type { Statement } from '../sql/builder.ts';
import type { Coalesce } from '#server/db/scheduling/coalescing.ts';
import type { ReplyRow } from '../sql/statements.ts';

/** Everything about a request that does not depend on its values. */
export type Prepared = {
  /** Null if there is nothing to run: the answer is an empty list. */
  readonly statement: Statement | null;
  /** The content of the answer: a list, a function's only row, a value, the bytes of a value, or nothing. */
  readonly shows: 'rows' | 'row' | 'value' | 'bytes' | 'nothing';
  readonly status: number;
  readonly bodyAs: 'list' | 'raw';
  /** The index of the root's offset in the values. */
  readonly offset: number | null;
  readonly estimate: Statement | null;
  /** Whether the answer has a Location header for the new row. */
  readonly location: boolean;
  /** Whether the request is a PUT, which must write exactly one row. */
  readonly put: boolean;
  /** Whether the transaction is read-only. */
  readonly readOnly: boolean;
  /** PostgreSQL's `search_path`, in which names without a schema are looked up. */
  readonly searchPath: string;
  /** The function's own settings for its transaction. */
  readonly settings: Readonly<Record<string, string>>;
  readonly cost: ShapeCost;
  /** The answer's content type if the function defines its own. */
  readonly type: string | null;
  /** Coalesces equal reads of guests at the same moment. Null gives each guest a separate execution. */
  readonly coalesce: Coalesce<ReplyRow> | null;
};
/** Plans by request shape. */
export type Plans = LRUCache<string, Prepared>;
/** Limits the memory that unusual shapes can fill. */
const PLANS_MAX = 1_000;

export const createPlans = (): Plans => new LRUCache({ max: PLANS_MAX });

/** Returns the plan for a shape, and makes it on first use. */
export function planOnce(plans: Plans, key: string, make: () => Prepared): Prepared {
  const found = plans.get(key);
  if (found) return found;
  const plan = make();
  plans.set(key, plan);
  return plan;
}
