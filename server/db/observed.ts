import type { Database, Query, Transaction } from './database.ts';
import type { Spans } from './spans.ts';

export type ObserveOptions = {
  /** Statements that take longer are logged. The time includes the wait for a connection. */
  readonly slowMs: number;
  readonly logSlow: (statement: { readonly text: string; readonly ms: number }) => void;
  /** Null: no spans are recorded. */
  readonly spans: Spans | null;
};

/** The maximum number of characters of a statement in the log. The text contains parameters instead of values. */
const TEXT_MAX = 300;
/** On a busy database every statement is slow, so at most one line per second is logged. */
const LOG_EVERY_MS = 1_000;

/** Returns the same database, except that it logs slow statements and records each statement as a span. */
export function observeStatements<D extends Database>(db: D, options: ObserveOptions): D {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const note = (text: string, began: number): void => {
    const now = performance.now();
    if (now - began < options.slowMs || now - loggedAt < LOG_EVERY_MS) return;
    loggedAt = now;
    options.logSlow({ text: text.replace(/\s+/g, ' ').slice(0, TEXT_MAX), ms: Math.round(now - began) });
  };
  const timed = async <T>(text: string, run: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    try {
      return await (options.spans ? options.spans.run(toSpanStart(text), run) : run());
    } finally {
      note(text, began);
    }
  };
  const observeTransaction = (tx: Transaction): Transaction => ({
    query: timeQuery(timed, tx.query),
    queryRow: (text, values) => timed(text, () => tx.queryRow(text, values)),
  });
  return {
    ...db,
    query: timeQuery(timed, db.query),
    queryRow: (text, values) => timed(text, () => db.queryRow(text, values)),
    transaction: (work) => db.transaction((tx) => work(observeTransaction(tx))),
    as: (principal, text, values, choice) => timed(text, () => db.as(principal, text, values, choice)),
    transactionAs: (principal, work) => db.transactionAs(principal, (tx) => work(observeTransaction(tx))),
    inClass: (workClass) => observeStatements(db.inClass(workClass), options),
  };
}

type Timed = <T>(text: string, run: () => Promise<T>) => Promise<T>;

const timeQuery =
  (timed: Timed, query: Query): Query =>
  (text, values) =>
    timed(text, () => query(text, values));

/** Names the span after the verb and the first relation or function of the statement, because the text itself could be long. */
function toSpanStart(text: string): Parameters<Spans['run']>[0] {
  const [, verb = 'statement'] = /^\s*(\w+)/.exec(text) ?? [];
  const [, target] = /\b(?:from|into|update|table)\s+("?[a-z_]\w*"?(?:\."?\w+"?)?)/i.exec(text) ?? [];
  const [, called] = /\b((?:private|public|auth|storage)\.\w+)\s*\(/.exec(text) ?? [];
  const name = [verb.toLowerCase(), target ?? called].filter((part) => part !== undefined).join(' ');
  return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name } };
}
