import type { App } from '#server/compose.ts';
import type { Crowd } from '../people/day.ts';
import type { World } from '../world/world.ts';

/** What an auditor reads. `report`: says that a promise was broken; the same sentence is reported once. */
export type Audit = {
  readonly world: World;
  readonly crowd: Crowd;
  readonly db: Pick<App['db'], 'query' | 'queryRow'>;
  /** Whether the locks or the server were down during the day, so that a code may be late. */
  readonly isTroubled: boolean;
  readonly report: (promise: string, what: string) => void;
};

/** Checks promises at the end of a day, after some hours in which nothing went wrong. */
export type Auditor = (audit: Audit) => Promise<void> | void;
