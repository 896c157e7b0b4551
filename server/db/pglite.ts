import { messages as wire, PGlite, protocol, type Extension } from '@electric-sql/pglite';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pgcrypto } from '@electric-sql/pglite/contrib/pgcrypto';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import {
  type Database,
  DatabaseError,
  type Principal,
  type Query,
  type Result,
  type Row,
  type Transaction,
} from './database.ts';
import { commandCount, type Field, readRow, type Statement, statementName, typed } from './flight.ts';
import { becomePrincipal } from './principal.ts';
import { rolledBack, transactionOf } from './postgres.ts';
import { encodeValue } from './values.ts';

export type Embedded = Database & {
  /** Runs a script of many statements, as migrations are; never with anything a user wrote. */
  script(sql: string): Promise<void>;
  /** All of it as it stands, as one file another can begin with. */
  image(): Promise<Blob>;
};

const EXTENSIONS: Record<string, Extension> = { btree_gist, pg_trgm, pgcrypto };

/** PostgreSQL's cache, a quarter of its default: the engine holds all of it from the start, and a small house's hot rows fit in less. */
const SMALL = ['-c', 'shared_buffers=32MB'];

/** Where an embedded database lives: a folder, or memory, in which it begins empty or as an image has it. */
export type Place = string | null | Blob;

/**
 * Opens the embedded database. There is one connection: flights queue behind one another, and a transaction holds the queue
 * until it ends. The embedding process is superuser inside, so only `script` may hold several statements.
 */
export async function createPglite(place: Place): Promise<Embedded> {
  const engine = new PGlite({
    extensions: EXTENSIONS,
    startParams: [...PGlite.defaultStartParams, ...SMALL],
    ...(typeof place === 'string' ? { dataDir: place } : {}),
    ...(place instanceof Blob ? { loadDataDir: place } : {}),
  });
  await engine.waitReady;
  await engine.exec(
    `set timezone to 'UTC'; set datestyle to 'ISO, MDY'; set intervalstyle to 'iso_8601'; set bytea_output to 'hex'`,
  );
  const parsed = new Map<string, string>();
  const columns = new Map<string, Field[]>();
  let queue: Promise<unknown> = Promise.resolve();

  function exclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  async function fly(statements: readonly Statement[]): Promise<Result[]> {
    const flightNames = statements.map((statement) => statementName(statement.text));
    const parsing: { name: string; text: string }[] = [];
    const closing: string[] = [];
    const parts: Uint8Array[] = [];
    statements.forEach(({ text, values }, i) => {
      const name = flightNames[i] ?? '';
      const known = parsed.get(name);
      if (known !== undefined && known !== text) {
        closing.push(name);
        parts.push(protocol.serialize.close({ type: 'S', name }));
      }
      if (known !== text) {
        parsing.push({ name, text });
        parts.push(protocol.serialize.parse({ text, name }));
      }
      parts.push(protocol.serialize.bind({ statement: name, values: values.map(encodeValue) }));
      if (known !== text || !columns.has(name)) parts.push(protocol.serialize.describe({ type: 'P' }));
      parts.push(protocol.serialize.execute({}));
    });
    parts.push(protocol.serialize.sync());
    const { messages } = await engine.execProtocol(Buffer.concat(parts), { throwOnError: false });

    const results: Result[] = [];
    let rows: Row[] = [];
    let fields: readonly Field[] = columns.get(flightNames[0] ?? '') ?? [];
    let failure: DatabaseError | null = null;
    for (const message of messages) {
      if (message.name === 'parseComplete') {
        const one = parsing.shift();
        if (one) parsed.set(one.name, one.text);
      } else if (message.name === 'closeComplete') {
        const name = closing.shift() ?? '';
        parsed.delete(name);
        columns.delete(name);
      } else if (message instanceof wire.RowDescriptionMessage) {
        fields = message.fields.map((field) => ({ name: field.name, typeOid: field.dataTypeID }));
        const name = flightNames[results.length];
        if (name) columns.set(name, [...fields]);
      } else if (message instanceof wire.DataRowMessage) {
        rows.push(readRow(fields, message.fields));
      } else if (message instanceof wire.CommandCompleteMessage) {
        const name = flightNames[results.length];
        if (name && !columns.has(name)) columns.set(name, []);
        results.push({ rows, count: commandCount(message.text) });
        rows = [];
        fields = columns.get(flightNames[results.length] ?? '') ?? [];
      } else if (message instanceof wire.DatabaseError) {
        failure = refusalOf(message);
      }
    }
    if (failure) {
      if (failure.code === '0A000' || failure.code === '26000') forgetStatements();
      throw failure;
    }
    return results;
  }

  function forgetStatements(): void {
    for (const name of parsed.keys()) columns.delete(name);
    void exclusive(() => engine.exec('deallocate all')).then(() => parsed.clear());
  }

  function inTransaction<T>(first: readonly Statement[], work: (tx: Transaction) => Promise<T>): Promise<T> {
    return exclusive(async () => {
      await fly([{ text: 'begin', values: [] }, ...first]);
      const inside: Query = async <R>(text: string, values: readonly unknown[] = []) =>
        typed<R>(last(await fly([{ text, values }])));
      try {
        const outcome = await work(transactionOf(inside));
        await fly([{ text: 'commit', values: [] }]);
        return outcome;
      } catch (error) {
        await fly([{ text: 'rollback', values: [] }]);
        throw error;
      }
    });
  }

  const query: Query = async <R>(text: string, values: readonly unknown[] = []) =>
    typed<R>(last(await exclusive(() => fly([{ text, values }]))));

  return {
    kind: 'pglite',
    durability: typeof place === 'string' ? 'pglite-process-safe' : 'memory',
    query,
    one: transactionOf(query).one,
    transaction: (work) => inTransaction([], work),
    async as<R>(
      principal: Principal,
      text: string,
      values: readonly unknown[] = [],
      choice: { rollback?: boolean } = {},
    ) {
      if (choice.rollback)
        return typed<R>(await rolledBack((work) => inTransaction([becomePrincipal(principal)], work), text, values));
      return typed<R>(last(await exclusive(() => fly([becomePrincipal(principal), { text, values }]))));
    },
    transactionAs: (principal, work) => inTransaction([becomePrincipal(principal)], work),
    listen: (channel, heard) => exclusive(() => engine.listen(channel, heard)),
    script: (sql) => exclusive(async () => void (await engine.exec(sql))),
    image: () => exclusive(() => engine.dumpDataDir('none')),
    close: () => exclusive(() => engine.close()),
  };
}

function last(results: readonly Result[]): Result {
  return results.at(-1) ?? { rows: [], count: 0 };
}

type ErrorFields = {
  message: string;
  code?: string | undefined;
  detail?: string | undefined;
  hint?: string | undefined;
  constraint?: string | undefined;
  table?: string | undefined;
  column?: string | undefined;
};

function refusalOf(error: ErrorFields): DatabaseError {
  return new DatabaseError({
    code: error.code ?? 'XX000',
    message: error.message,
    detail: error.detail ?? null,
    hint: error.hint ?? null,
    constraint: error.constraint ?? null,
    table: error.table ?? null,
    column: error.column ?? null,
  });
}
