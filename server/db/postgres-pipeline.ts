import type { EventEmitter } from 'node:events';
import type pg from 'pg';
import { DatabaseError, type Result, type Row } from './database.ts';
import {
  commandCount,
  createStatementCache,
  type Field,
  noteClosed,
  noteParsed,
  readRow,
  type Statement,
  type StatementCache,
  statementName,
  writePipeline,
} from './pipeline.ts';

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

const statementCaches = new WeakMap<EventEmitter, StatementCache>();

function statementCacheOf(connection: EventEmitter): StatementCache {
  const existing = statementCaches.get(connection);
  if (existing) return existing;
  const cache = createStatementCache();
  statementCaches.set(connection, cache);
  connection.on('parseComplete', () => noteParsed(cache));
  connection.on('closeComplete', () => noteClosed(cache));
  return cache;
}

/**
 * Several statements in one round trip: parse, bind and execute for each and a single Sync, so that PostgreSQL runs them as one
 * transaction and answers once. This keeps row-level security cheap.
 */
class Pipeline implements pg.Submittable {
  readonly #statements: readonly Statement[];
  readonly #names: string[];
  readonly #done: (outcome: DatabaseError | Result[]) => void;
  readonly #results: { rows: Row[]; count: number }[] = [];
  #current: { rows: Row[]; count: number } = { rows: [], count: 0 };
  #fields: readonly Field[] = [];
  #cache: StatementCache | null = null;
  #failed: DatabaseError | null = null;

  constructor(statements: readonly Statement[], done: (outcome: DatabaseError | Result[]) => void) {
    this.#statements = statements;
    this.#names = statements.map((statement) => statementName(statement.text));
    this.#done = done;
  }

  submit(connection: pg.Connection): void {
    const cache = statementCacheOf(connection);
    this.#cache = cache;
    // One buffer, one write: each write is a system call.
    connection.stream.write(Buffer.concat(writePipeline(cache, this.#statements, this.#names)));
    this.#expect(0);
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
    // pg drops a query at its first error, so `handleReadyForQuery` will not be called: answer now. Later messages stay in pg's queue.
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

/** Runs statements on a connection in one round trip. Throws `DatabaseError`. */
export function runPipeline(client: pg.ClientBase, statements: readonly Statement[]): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    client.query(
      new Pipeline(statements, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome))),
    );
  });
}
