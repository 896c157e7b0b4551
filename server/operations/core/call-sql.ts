import type { Json, ServerFunctions } from '#database/types.ts';
import type { Queryable } from '#server/db/database.ts';

type Name = keyof ServerFunctions;
type Args<N extends Name> = {
  readonly [Key in keyof ServerFunctions[N]['Args']]: ServerFunctions[N]['Args'][Key] | null;
};
type Value<N extends Name> = ServerFunctions[N] extends { readonly Returns: infer Returns } ? Returns : never;
type Row<N extends Name> = ServerFunctions[N] extends { readonly Row: infer Columns }
  ? { readonly [Key in keyof Columns]: Columns[Key] | null }
  : never;

/** The names of the functions that return JSON, rows, or a single value of another type. */
type JsonName = { [N in Name]: [Json] extends [Value<N>] ? N : never }[Name];
type RowsName = { [N in Name]: ServerFunctions[N] extends { readonly Row: unknown } ? N : never }[Name];
type ValueName = Exclude<Name, JsonName | RowsName>;

/** Calls a function of the schema `private` that returns one value. */
export async function callSql<N extends ValueName>(db: Queryable, name: N, args: Args<N>): Promise<Value<N> | null> {
  const row = await db.queryRow<{ value: Value<N> | null }>(
    `select ${callText(name, args)} as value`,
    Object.values(args),
  );
  return row === null ? null : row.value;
}

/**
 * Calls a function that returns JSON and returns the result of `read`, or null if the function returns null. The database does not describe
 * the JSON, so the parameter of `read` declares its type. Define that type once, next to the operations that use it.
 */
export async function callJson<N extends JsonName, Content, Result>(
  db: Queryable,
  name: N,
  args: Args<N>,
  read: (json: Content) => Result,
): Promise<Result | null> {
  const row = await db.queryRow<{ value: Content | null }>(
    `select ${callText(name, args)} as value`,
    Object.values(args),
  );
  return row === null || row.value === null ? null : read(row.value);
}

/** Calls a function that returns rows. */
export async function callRows<N extends RowsName>(db: Queryable, name: N, args: Args<N>): Promise<readonly Row<N>[]> {
  const { rows } = await db.query<Row<N>>(`select * from ${callText(name, args)}`, Object.values(args));
  return rows;
}

/** Builds the same text for every call with the same argument names, so that the connection can reuse its plan. */
function callText(name: Name, args: object): string {
  const passed = Object.keys(args).map((key, index) => `${key} => $${index + 1}`);
  return `private.${name}(${passed.join(', ')})`;
}
