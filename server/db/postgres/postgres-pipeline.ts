import { EventEmitter } from 'node:events';
import type pg from 'pg';
import { DatabaseError, type Result, type Row } from '../database.ts';
import {
  commandCount,
  createStatementCache,
  type Field,
  isPrepared,
  noteClosed,
  noteParsed,
  readRow,
  type Statement,
  type StatementCache,
  statementName,
  writePipeline,
  type Outcome,
  type PipelineRun,
} from '../pipeline.ts';

type FieldMessage = { fields: { name: string; dataTypeID: number }[] };
type ErrorMessage = {
  code?: string;
  message: string;
  detail?: string;
  hint?: string;
  constraint?: string;
  table?: string;
  column?: string;
};

/** Connections that come from a pooler: a statement prepared on one of its database connections may be missing on the next. */
const unnamed = new WeakSet<pg.ClientBase>();

/** Sends every statement of the connection without a name, so that it ends with its transaction. */
export const sendUnnamed = (client: pg.ClientBase): void => void unnamed.add(client);

const statementCaches = new WeakMap<EventEmitter, StatementCache>();

function getStatementCache(connection: EventEmitter): StatementCache {
  const existing = statementCaches.get(connection);
  if (existing) return existing;
  const cache = createStatementCache();
  statementCaches.set(connection, cache);
  connection.on('parseComplete', () => noteParsed(cache));
  connection.on('closeComplete', () => noteClosed(cache));
  return cache;
}

/**
 * Runs several statements in one round trip: parse, bind and execute for each and a single Sync, so that PostgreSQL runs them as one
 * transaction and answers once. This keeps row-level security cheap. `next`: a pipeline that is queued behind this one on the same
 * connection; it is sent in the same write if the connection has prepared its statements.
 */
class Pipeline implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #names: string[];
  readonly #done: (outcome: Outcome) => void;
  readonly #next: Pipeline | null;
  #written = false;
  readonly #results: { rows: Row[]; count: number }[] = [];
  #current: { rows: Row[]; count: number } = { rows: [], count: 0 };
  #fields: readonly Field[] = [];
  #cache: StatementCache | null = null;
  #connection: pg.Connection | null = null;
  #failed: DatabaseError | null = null;

  constructor(
    client: pg.ClientBase,
    statements: readonly Statement[],
    next: Pipeline | null,
    done: (outcome: Outcome) => void,
  ) {
    this.#statements = statements;
    this.#names = statements.map(({ text }) => (unnamed.has(client) ? '' : statementName(text)));
    this.#next = next;
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const cache = getStatementCache(connection);
    this.#cache = cache;
    this.#connection = connection;
    // The messages go out in a single write, because each write is a system call.
    if (!this.#written) connection.stream.write(Buffer.concat(this.#writeAll(cache)));
    this.#expect(0);
  }

  /** Writes this pipeline and the ones behind it, up to the first that has to prepare a statement. */
  #writeAll(cache: StatementCache): Buffer[] {
    const parts: Buffer[] = [];
    const ready = this.#isReady(cache);
    this.#write(cache, parts);
    if (ready)
      for (let pipeline = this.#next; pipeline !== null && pipeline.#isReady(cache); pipeline = pipeline.#next)
        pipeline.#write(cache, parts);
    return parts;
  }

  #isReady(cache: StatementCache): boolean {
    return this.#statements.every(({ text }, index) => isPrepared(cache, this.#names[index] ?? '', text));
  }

  #write(cache: StatementCache, parts: Buffer[]): void {
    this.#written = true;
    parts.push(...writePipeline(cache, this.#statements, this.#names));
  }

  #expect(index: number): void {
    const name = this.#names[index];
    this.#fields = (name ? this.#cache?.fields.get(name) : undefined) ?? [];
  }

  handleRowDescription(message: FieldMessage): void {
    const fields = message.fields.map((field) => ({ name: field.name, typeOid: field.dataTypeID }));
    const name = this.#names[this.#results.length];
    if (name) this.#cache?.fields.set(name, fields);
    this.#fields = fields;
  }

  handleDataRow(message: { fields: (string | null)[] }): void {
    this.#current.rows.push(readRow(this.#fields, message.fields));
  }

  handleCommandComplete(message: { text: string }): void {
    const name = this.#names[this.#results.length];
    if (name && this.#cache?.fields.has(name) === false) this.#cache.fields.set(name, []);
    this.#current.count = commandCount(message.text);
    this.#results.push(this.#current);
    this.#current = { rows: [], count: 0 };
    this.#expect(this.#results.length);
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handlePortalSuspended(): void {}

  handleError(error: ErrorMessage): void {
    this.#failed = toDatabaseError(error);
    if (error.code === READ_ONLY && this.#connection) refusing.add(this.#connection);
    // pg drops a query at its first error, so `handleReadyForQuery` will not be called and the outcome is reported here. Later messages
    // stay in pg's queue.
    this.#done(this.#failed);
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.#done(this.#results);
  }
}

function toDatabaseError(error: ErrorMessage): DatabaseError {
  const code = error.code && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : '08006';
  return new DatabaseError(
    {
      code,
      message: error.message,
      detail: error.detail ?? null,
      hint: error.hint ?? null,
      constraint: error.constraint ?? null,
      table: error.table ?? null,
      column: error.column ?? null,
    },
    error,
  );
}

/** Errors after which a connection's prepared statements may be stale. */
export const STALE = new Set(['0A000', '26000', '42P05', '08006', '57P01']);

/** SQLSTATE `read_only_sql_transaction`: either the caller's own request is read-only, or the server has become read-only. */
const READ_ONLY = '25006';
const refusing = new WeakSet<EventEmitter>();

/** Whether a connection has refused a write since the last call. */
export const refusedWrite = (client: pg.PoolClient): boolean =>
  'connection' in client && client.connection instanceof EventEmitter && refusing.delete(client.connection);

/** Runs statements on a connection in one round trip. Throws `DatabaseError`. */
export function runPipeline(client: pg.ClientBase, statements: readonly Statement[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Pipeline(client, statements, null, (outcome) =>
        outcome instanceof Error ? reject(outcome) : resolve(outcome),
      ),
    );
  });
}

/**
 * Runs pipelines on a connection one after the other, in one write and each as its own transaction: if one fails, the others still run.
 * Resolves when all are done. Throws an error after which the connection cannot be used again.
 */
export function runPipelines(client: pg.ClientBase, runs: readonly PipelineRun[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let stale: DatabaseError | null = null;
    let first: Pipeline | null = null;
    for (const { statements, done } of runs.toReversed()) {
      const next = first;
      first = new Pipeline(client, statements, next, (outcome) => {
        if (outcome instanceof Error && STALE.has(outcome.code)) stale ??= outcome;
        done(outcome);
        // pg reads the answers of one query at a time; the messages of the next one may have been sent already.
        if (next) client.query(next);
        else if (stale) reject(stale);
        else resolve();
      });
    }
    if (first) client.query(first);
    else resolve();
  });
}
