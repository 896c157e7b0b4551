/** A mechanism that makes the server faster or fairer, and an edit of one source file that removes it. */
export type Mechanism = {
  readonly name: string;
  /** The path from the root. */
  readonly file: string;
  /** A text that occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
};

/** The mechanisms. The server has no switches for them, so the bench edits a copy of the project. */
export const MECHANISMS: readonly Mechanism[] = [
  {
    name: 'batches on PostgreSQL',
    file: 'server/db/postgres/postgres.ts',
    find: 'quick.batching(BATCH_MAX,',
    replace: 'quick.batching(1,',
  },
  {
    name: 'wait for the end of the turn',
    file: 'server/db/postgres/postgres-schedulers.ts',
    find: 'endOfTurn: createEndOfTurn(),',
    replace: 'endOfTurn: null,',
  },
  {
    name: 'batches to the embedded engine',
    file: 'server/db/engine/shared-messages.ts',
    find: 'const MESSAGE_MAX = 4;',
    replace: 'const MESSAGE_MAX = 1;',
  },
  {
    name: 'request coalescing',
    file: 'server/rest/run/run.ts',
    find: '&& !rollback ? prepared.coalesce : null;',
    replace: '&& rollback ? prepared.coalesce : null;',
  },
  {
    name: 'short statements first',
    file: 'server/db/scheduling/estimates.ts',
    find: 'return Math.floor(Math.log2(Math.max(1, ms)));',
    replace: 'return 0 * ms;',
  },
  {
    name: 'pause after a long statement',
    file: 'server/db/scheduling/estimates.ts',
    find: 'if (longMs === null || now() >= heldBackUntil || !HELD_BACK.has(ticket.workClass)) return false;',
    replace: 'return false;',
  },
  {
    name: 'first try of 100 ms',
    file: 'server/db/postgres/postgres-schedulers.ts',
    find: 'return await runQuickly(limited);',
    replace: 'return await runQuickly(principal);',
  },
  {
    name: 'adaptive limit of requests',
    file: 'server/http/admission/adaptive-limit.ts',
    find: 'current: () => limit,',
    replace: 'current: () => max,',
  },
  {
    name: 'starts spread over turns',
    file: 'server/http/admission/start-queue.ts',
    find: 'return now() - began < TURN_MS;',
    replace: 'return true;',
  },
  {
    name: 'sixteen listeners',
    file: 'server/http/connections/listen.ts',
    find: 'const LISTENERS = 16;',
    replace: 'const LISTENERS = 1;',
  },
  {
    name: 'kept plans',
    file: 'server/rest/plan/kept-plan.ts',
    find: '? KEEP : DECIDE;',
    replace: '? DECIDE : DECIDE;',
  },
  {
    name: 'parsed queries',
    file: 'server/rest/parse/known-queries.ts',
    find: 'const found = queries.get(text);',
    replace: 'const found = undefined;',
  },
  {
    name: 'prepared requests',
    file: 'server/rest/run/prepared.ts',
    find: 'const found = plans.get(key);',
    replace: 'const found = undefined;',
  },
  {
    name: 'verified tokens',
    file: 'server/crypto/keys.ts',
    find: 'const cached = verified.get(token);',
    replace: 'const cached = undefined;',
  },
  {
    name: 'prepared statements',
    file: 'server/db/postgres/postgres-pipeline.ts',
    find: "unnamed.has(client) ? '' : statementName(text)",
    replace: "''",
  },
];

/** Returns how often the text of a mechanism occurs in its file: once, unless the file has changed. */
export const occurrences = (text: string, { find }: Pick<Mechanism, 'find'>): number => text.split(find).length - 1;
