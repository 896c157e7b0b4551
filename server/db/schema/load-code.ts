import { getAdoptedRecords, getObjectsToLoad, getRetirement } from './code-changes.ts';
import type { CodeObject } from './code-objects.ts';
import type { Migrator } from './migrator.ts';
import { readCodeRecords } from './records.ts';
import type { Release } from './schema.ts';
import { literal, resetRights } from './reset-rights.ts';

/** How long loading waits for the lock of a view, and how many times it tries. */
const LOCK_MS = 100;
const TRIES = 200;
/** The longest pause before the next try. */
const PAUSE_MS = 400;

/**
 * Loads the objects whose text differs from the text that was loaded last, in one transaction: if it fails, nothing has changed. Loads
 * nothing if a newer version has loaded its code, which also serves this version. Idempotent. Returns the names of the loaded objects.
 *
 * It never waits for a table while it holds the lock of another one: a request that holds one of them and waits for the other would
 * deadlock with it. It locks all tables whose triggers and policies change at once, or releases all locks and tries again.
 */
export async function loadCode(engine: Migrator, objects: readonly CodeObject[], release: string): Promise<string[]> {
  const changed = getObjectsToLoad(objects, await readCodeRecords(engine), release);
  if (changed.length > 0)
    await inTransaction(engine, [
      // A function may name tables and functions that later statements create.
      'set local check_function_bodies = off',
      ...changed.filter((object) => !hasTable(object)).flatMap((object) => load(object, release)),
      ...lockTables(
        changed.map(({ name }) => name),
        objects,
      ),
      ...changed.filter(hasTable).flatMap((object) => load(object, release)),
    ]);
  return changed.map(({ name }) => name);
}

/**
 * Retires the recorded objects that are no longer part of the code, and drops those that an earlier release retired. Dropping waits for one
 * release because servers of the release before this one may still call the objects that this one retires. `objects`: all of the code.
 * Never touches an object that loading did not record.
 */
export async function dropRetired(engine: Migrator, objects: readonly CodeObject[], release: string): Promise<void> {
  const { retired, restored, dropped } = getRetirement(objects, await readCodeRecords(engine), release);
  const statements = [
    ...retired.map((name) => setRetired(name, release)),
    ...restored.map((name) => setRetired(name, null)),
    ...dropped.flatMap((name) => [
      `drop ${name.replace(/^\w+/, '$& if exists')}`,
      `delete from private.code_object where name = ${literal(name)}`,
    ]),
  ];
  if (statements.length > 0) await inTransaction(engine, [...lockTables(dropped, objects), ...statements]);
}

function setRetired(name: string, release: string | null): string {
  return `update private.code_object set retired_in = ${release === null ? 'null' : literal(release)} where name = ${literal(name)}`;
}

/** Records views, triggers and policies that a database of an earlier release already has. Idempotent. */
export async function recordCode(engine: Migrator, earlier: Release): Promise<void> {
  const records = getAdoptedRecords(await readCodeRecords(engine), earlier);
  const rows = records.map(({ name, hash, release }) => `(${[name, hash, release].map(literal).join(', ')})`);
  if (rows.length > 0)
    await engine.script(`insert into private.code_object (name, hash, release) values ${rows.join(', ')}`);
}

const load = (object: CodeObject, release: string): readonly string[] => [
  makeWay(object),
  ...object.statements,
  toRecord(object, release),
];

/** Whether an object belongs to a table, which is locked while the object changes. */
const hasTable = ({ kind }: CodeObject): boolean => kind === 'trigger' || kind === 'policy';

/**
 * Returns the statement that locks the tables of these triggers and policies. It fails at once if a table is in use. Views are left out:
 * `lock` would also lock their tables, with the rights of the view's owner.
 */
function lockTables(names: readonly string[], objects: readonly CodeObject[]): readonly string[] {
  const views = new Set(objects.flatMap(({ kind, name }) => (kind === 'view' ? name.slice('view '.length) : [])));
  const tables = names.flatMap((name) => /^(?:trigger|policy) .* on ([\w.]+)$/.exec(name)?.[1] ?? []);
  const locked = [...new Set(tables)].filter((table) => !views.has(table)).toSorted();
  return locked.length === 0 ? [] : [`lock table ${locked.join(', ')} in access exclusive mode nowait`];
}

function toRecord({ name, hash }: CodeObject, release: string): string {
  return `insert into private.code_object (name, hash, release) values (${[name, hash, release].map(literal).join(', ')})
    on conflict (name) do update
    set hash = excluded.hash, release = excluded.release, loaded_at = now()`;
}

/**
 * Returns the statement that makes way for a new version of an object. Functions and views are replaced in place, which does not affect
 * their callers. PostgreSQL cannot replace a policy or a constraint trigger.
 */
function makeWay({ kind, name }: CodeObject): string {
  return kind === 'trigger' || kind === 'policy'
    ? `drop ${name.replace(kind, `${kind} if exists`)}`
    : resetRights(kind, name.slice(kind.length + 1));
}

/** Runs statements in one transaction. If another transaction holds a lock, it rolls back and tries again. */
async function inTransaction(engine: Migrator, statements: readonly string[]): Promise<void> {
  const script = ['begin', `set local lock_timeout = '${LOCK_MS}ms'`, ...statements, 'commit'].join(';\n');
  for (let tries = 1; ; tries += 1)
    try {
      return await engine.script(script);
    } catch (error) {
      // After a failure, the connection is still inside the transaction.
      await engine.script('rollback');
      const locked = error instanceof Error && 'code' in error && error.code === '55P03';
      if (!locked || tries === TRIES) throw error;
      await new Promise((done) => setTimeout(done, Math.random() * PAUSE_MS));
    }
}
