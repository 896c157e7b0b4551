import { serialize } from 'pg-protocol';
import { DatabaseError, type Result, type Row } from '../database.ts';
import {
  commandCount,
  createStatementCache,
  type Field,
  isPrepared,
  noteClosed,
  noteParsed,
  type Outcome,
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
/** Runs pipelines one after the other, each as its own transaction: if one fails, the others still run. */
export type RunPipelines = (
  pipelines: readonly (readonly Statement[])[],
  limitMs: number | null,
) => Promise<readonly Outcome[]>;
/** Runs one pipeline. Throws its `DatabaseError`. */
export type RunPipeline = (statements: readonly Statement[], limitMs: number | null) => Promise<Result[]>;

type Engine = { readonly host: EngineHost; readonly notified: Notify; cache: StatementCache; generation: number };

/**
 * Returns a function that sends pipelines and reads their results; it tracks the statements that the current engine has prepared. Only
 * pipelines whose statements are all prepared share a message to the engine's thread: a statement that fails to be prepared cannot disturb
 * the pipelines behind it.
 */
export function createPipelines(host: EngineHost, notified: Notify): RunPipelines {
  const engine: Engine = { host, notified, cache: createStatementCache(), generation: host.generation() };
  return async (pipelines, limitMs) => {
    const outcomes: Outcome[] = [];
    while (outcomes.length < pipelines.length) {
      if (engine.generation !== host.generation()) {
        engine.generation = host.generation();
        engine.cache = createStatementCache();
      }
      const remaining = pipelines.slice(outcomes.length);
      const unprepared = remaining.findIndex((pipeline) => pipeline.some(({ text }) => !isReady(engine, text)));
      const together = remaining.slice(0, unprepared === -1 ? remaining.length : Math.max(1, unprepared));
      outcomes.push(...(await sendTogether(engine, together, limitMs)));
    }
    return outcomes;
  };
}

const isReady = ({ cache }: Engine, text: string): boolean => isPrepared(cache, statementName(text), text);

/** Returns a function that runs a single pipeline with `run`. */
export function onePipeline(run: RunPipelines): RunPipeline {
  return async (statements, limitMs) => {
    const [outcome = []] = await run([statements], limitMs);
    if (outcome instanceof DatabaseError) throw outcome;
    return outcome;
  };
}

/** Sends several pipelines in one message. */
async function sendTogether(
  engine: Engine,
  pipelines: readonly (readonly Statement[])[],
  limitMs: number | null,
): Promise<Outcome[]> {
  const { host, cache } = engine;
  const names = pipelines.map((statements) => statements.map(({ text }) => statementName(text)));
  const parts = pipelines.flatMap((statements, index) => writePipeline(cache, statements, names[index] ?? []));
  const bytes = await host.run(concatBytes(parts), limitMs);
  const outcomes = readOutcomes(engine, bytes, names);
  if (outcomes.length < pipelines.length) {
    await host.abandon();
    throw new EngineLost('the answer of the database is incomplete');
  }
  if (outcomes.some((outcome) => outcome instanceof DatabaseError && STALE.has(outcome.code)))
    engine.cache = await forgetStatements(host);
  return outcomes;
}

/** Reads the outcomes of pipelines whose statements have these names. Returns fewer outcomes if the answer is incomplete. */
function readOutcomes(
  { cache, notified }: Engine,
  bytes: Uint8Array,
  names: readonly (readonly string[])[],
): Outcome[] {
  const { fields: columns } = cache;
  const outcomes: Outcome[] = [];
  let results: Result[] = [];
  let rows: Row[] = [];
  let failure: DatabaseError | null = null;
  const nameNow = (): string => names[outcomes.length]?.[results.length] ?? '';
  let fields: readonly Field[] = columns.get(nameNow()) ?? [];
  const complete = readAnswer(bytes, {
    parsed: () => noteParsed(cache),
    closed: () => noteClosed(cache),
    fields(described) {
      fields = described;
      columns.set(nameNow(), described);
    },
    row: (texts) => void rows.push(readRow(fields, texts)),
    complete(tag) {
      if (!columns.has(nameNow())) columns.set(nameNow(), []);
      results.push({ rows, count: commandCount(tag) });
      rows = [];
      fields = columns.get(nameNow()) ?? [];
    },
    failed: (serverError) => {
      failure ??= toDatabaseError(serverError);
    },
    notified,
    ready() {
      outcomes.push(failure ?? results);
      [results, rows, failure] = [[], [], null];
      fields = columns.get(nameNow()) ?? [];
    },
  });
  return complete ? outcomes : [];
}

/** Errors after which the engine's prepared statements may be stale. */
const STALE = new Set(['0A000', '26000', '42P05']);

const DEALLOCATE_MS = 3_000;

async function forgetStatements(host: EngineHost): Promise<StatementCache> {
  // Inside a failed transaction, PostgreSQL refuses this; the next use of a stale name then fails and retries it.
  await host.run(concatBytes([serialize.query('deallocate all')]), DEALLOCATE_MS);
  return createStatementCache();
}

/** Throws the first error in a script's answer. Returns whether the answer is complete. */
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
    ready: nothing,
  });
  const [first] = errors;
  if (first) throw toDatabaseError(first);
  return complete;
}

/** Concatenates byte arrays into a new array, which can be transferred. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
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

const toDatabaseError = (serverError: ServerError): DatabaseError => new DatabaseError(serverError);
