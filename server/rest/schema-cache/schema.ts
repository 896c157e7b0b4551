/** The schema cache: what callers can ask for, read from the database itself. Names are as stored; `sql` is quoted for use in SQL. */
export type Column = {
  readonly name: string;
  readonly sql: string;
  /** As in a column definition, e.g. `numeric(10,2)`. */
  readonly type: string;
  /** Whether it is `json` or `jsonb`, so that a path needs no conversion. */
  readonly json: boolean;
  /** The default's expression; null when there is none or the column cannot be written. */
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
  /** Columns computed by a function of the row; not part of `*`. */
  readonly computed: ReadonlyMap<string, Column>;
  readonly primaryKey: readonly string[];
  /** Which writes it supports at all, regardless of the caller: a view when it is updatable or has a trigger. */
  readonly takes: Writes;
  /** Reads that filter by all columns of one of these lists run with a plan that the connection keeps. */
  readonly keptPlans: readonly (readonly string[])[];
  /** Whether every guest reads the same rows, whatever else the request says. */
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
  /** A computed relationship: the function of the row that returns the related rows. `constraint` is its name; it has no columns. */
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
  /** What a call returns: one value, a row of these columns, or nothing. */
  readonly gives: 'value' | 'row' | 'nothing';
  /** The media type of the value, when its type is a domain named after one. */
  readonly media: { readonly type: string; readonly bytes: boolean } | null;
  /** The function's settings that must hold for the whole transaction, e.g. its statement_timeout. */
  readonly settings: Readonly<Record<string, string>>;
  /** The columns of the returned row: the exposed table when the row belongs to one. */
  readonly row: Table | null;
};
export type Schema = {
  readonly name: string;
  readonly tables: ReadonlyMap<string, Table>;
  /** By the relation they start from. */
  readonly relationships: ReadonlyMap<Table, readonly Relationship[]>;
  readonly routines: ReadonlyMap<string, readonly Routine[]>;
  /** The types a `::cast` may name. */
  readonly types: ReadonlyMap<string, string>;
};
/** By schema name, in the configured order; the first is the default. */
export type SchemaCache = ReadonlyMap<string, Schema>;
