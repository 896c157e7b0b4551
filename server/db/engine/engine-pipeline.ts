import { serialize } from 'pg-protocol';
import { DatabaseError, type Result, type Row } from '../database.ts';
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
} from '../pipeline.ts';
import { readAnswer, type ServerError } from './answer.ts';
import { EngineLost } from './engine-thread.ts';
import type { EngineHost } from './host.ts';

type Notify = (channel: string, payload: string) => void;
export type RunPipeline = (statements: readonly Statement[], limitMs: number | null) => Promise<Result[]>;

/** Returns a function that sends statements in one pipeline and reads their results; tracks what the current engine has prepared. */
export function createPipeline(host: EngineHost, notified: Notify): RunPipeline {
  let cache: StatementCache = createStatementCache();
  let generation = host.generation();
  return async (statements, limitMs) => {
    if (generation !== host.generation()) {
      generation = host.generation();
      cache = createStatementCache();
    }
    const { fields: columns } = cache;
    const names = statements.map((statement) => statementName(statement.text));
    const bytes = await host.run(bytesOf(writePipeline(cache, statements, names)), limitMs);

    const results: Result[] = [];
    let rows: Row[] = [];
    let fields: readonly Field[] = columns.get(names[0] ?? '') ?? [];
    let failure: DatabaseError | null = null;
    const complete = readAnswer(bytes, {
      parsed: () => noteParsed(cache),
      closed: () => noteClosed(cache),
      fields(described) {
        fields = described;
        const name = names[results.length];
        if (name) columns.set(name, described);
      },
      row: (texts) => void rows.push(readRow(fields, texts)),
      complete(tag) {
        const name = names[results.length];
        if (name && !columns.has(name)) columns.set(name, []);
        results.push({ rows, count: commandCount(tag) });
        rows = [];
        fields = columns.get(names[results.length] ?? '') ?? [];
      },
      failed: (serverError) => {
        failure ??= refusalOf(serverError);
      },
      notified,
    });
    if (!complete) {
      await host.abandon();
      throw new EngineLost('the answer of the database is incomplete');
    }
    const failed: DatabaseError | null = failure;
    if (failed) {
      if (STALE.has(codeOf(failed))) cache = await forgetStatements(host);
      throw failed;
    }
    return results;
  };
}

const codeOf = (error: DatabaseError): string => error.code;

/** Errors after which the engine's prepared statements may be stale. */
const STALE = new Set(['0A000', '26000', '42P05']);

const DEALLOCATE_MS = 3_000;

async function forgetStatements(host: EngineHost): Promise<StatementCache> {
  // Inside a failed transaction this is refused; the next use of a stale name fails and retries it.
  await host.run(bytesOf([serialize.query('deallocate all')]), DEALLOCATE_MS);
  return createStatementCache();
}

/** Throws the first error of a script's answer; returns whether the answer is complete. */
export function readScript(bytes: Uint8Array, notified: Notify): boolean {
  const nothing = (): void => undefined;
  const errors: ServerError[] = [];
  const complete = readAnswer(bytes, {
    parsed: nothing,
    closed: nothing,
    fields: nothing,
    row: nothing,
    complete: nothing,
    failed: (serverError) => void errors.push(serverError),
    notified,
  });
  const [first] = errors;
  if (first) throw refusalOf(first);
  return complete;
}

/** Concatenates into a new array, which can be transferred. */
export function bytesOf(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The result of a pipeline's last statement. */
export function last(results: readonly Result[]): Result {
  return results.at(-1) ?? { rows: [], count: 0 };
}

const refusalOf = (serverError: ServerError): DatabaseError => new DatabaseError(serverError);
