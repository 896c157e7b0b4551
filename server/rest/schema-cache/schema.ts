/**
 * The schema cache: everything that callers can name, read from the database itself. Names are as stored; `sql` is quoted for use in SQL.
 */
export type Column = {
  readonly name: string;
  readonly sql: string;
  /** The type as in a column definition, e.g. `numeric(10,2)`. */
  readonly type: string;
  /** Whether the type is `json` or `jsonb`, so that a path needs no conversion. */
  readonly json: boolean;
  /** The expression of the default; null if there is none or the column cannot be written. */
  readonly defaultSql: string | null;
  /** The function that computes the column from the row; null for a stored column. */
  readonly call: string | null;
};
export type Table = {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly view: boolean;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns that a function computes from the row; not part of `*`. */
  readonly computed: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  /** The writes that the relation supports for any caller. A view supports those that are automatic or that a trigger performs. */
  readonly takes: Writes;
  /** Lists of columns. For reads that filter by all columns of a list, the connection keeps the plan. */
  readonly keptPlans: readonly (readonly string[])[];
  /** Whether every guest reads the same rows, whatever else the request contains. */
  readonly sameForGuests: boolean;
};
type Writes = { readonly insert: boolean; readonly update: boolean; readonly remove: boolean };
/** A relationship between two relations, including views. `through` is the junction table of a many-to-many. */
export type Relationship = {
  readonly constraint: string;
  readonly cardinality: 'many-to-one' | 'one-to-one' | 'one-to-many' | 'many-to-many';
  readonly from: Table;
  readonly fromColumns: readonly string[];
  readonly to: Table;
  readonly toColumns: readonly string[];
  readonly through: {
    readonly table: Table;
    readonly fromColumns: readonly string[];
    readonly toColumns: readonly string[];
    readonly toConstraint: string;
  } | null;
  /** The function that returns the related rows, for a computed relationship. `constraint` is its name, and there are no columns. */
  readonly call: string | null;
};
export type Argument = {
  readonly name: string;
  readonly sql: string;
  readonly type: string;
  readonly hasDefault: boolean;
  readonly variadic: boolean;
};
export type Routine = {
  readonly schema: string;
  readonly name: string;
  readonly sql: string;
  readonly arguments: readonly Argument[];
  readonly volatile: boolean;
  readonly set: boolean;
  /** The result of a call: a value, a row of these columns, or nothing. */
  readonly gives: 'value' | 'row' | 'nothing';
  /** The media type of the value if the type of the value is a domain named after one. */
  readonly media: { readonly type: string; readonly bytes: boolean } | null;
  /** The function's settings that must hold for the whole transaction, e.g. its statement_timeout. */
  readonly settings: Readonly<Record<string, string>>;
  /** The columns of the returned row: those of the exposed table if the row belongs to one. */
  readonly row: Table | null;
};
export type Schema = {
  readonly name: string;
  readonly tables: ReadonlyMap<string, Table>;
  /** The relationships by the relation at which they start. */
  readonly relationships: ReadonlyMap<Table, readonly Relationship[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** The types that a `::cast` may name. */
  readonly types: ReadonlyMap<string, string>;
};
/** The schemas by name, in the configured order; the first is the default. */
export type SchemaCache = ReadonlyMap<string, Schema>;
