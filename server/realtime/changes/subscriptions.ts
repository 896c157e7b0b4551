import type { ChangeEvent } from '../core/ports.ts';
import type { Member } from '../core/token.ts';
import type { Binding } from './bindings.ts';
import type { Table } from './tables.ts';

/** A column that must equal a value, both as PostgreSQL's own JSON text. The comparison needs no database. */
export type Equality = { readonly column: string; readonly json: string };

/** A binding that has been checked against the database. */
export type PreparedBinding = {
  readonly id: number;
  readonly binding: Binding;
  /** The object id of its table as text; null for every table of its schema. */
  readonly relation: string | null;
  readonly equalities: readonly Equality[];
  /** The other conditions as SQL over a row; 'true' if there are none. */
  readonly condition: string;
  /** The shape of the table at the time of the check. Another shape makes the binding invalid. */
  readonly shape: string;
};

export type Subscription = {
  member: Member;
  readonly bindings: readonly PreparedBinding[];
  /** `id`: the id of the change. */
  onChange: (event: ChangeEvent, id: number) => void;
  /** Called when changes may be missing: the client must join and read again. */
  readonly onLost: (message: string) => void;
  /** Ids of the changes that were sent again after a reconnect, so that none is sent twice. Null if they no longer matter. */
  sent: Set<number> | null;
};

/** Whether a binding covers this table. */
export function coversTable({ relation, binding }: PreparedBinding, table: Table): boolean {
  if (relation !== null) return relation === table.relation;
  const inSchema = binding.schema === '*' || binding.schema === table.schema;
  return inSchema && (binding.table === '*' || binding.table === table.name);
}

/** Returns the name of a table and the columns that a binding uses, with their types. */
export function getShape(table: Table, { conditions, select }: Binding): string {
  const used = new Set([...conditions.map(({ column }) => column), ...(select ?? [])]);
  const columns = table.columns.filter(({ name }) => used.has(name)).map(({ name, type }) => [name, type]);
  return JSON.stringify([table.schema, table.name, columns]);
}
