import type { ChangeEvent } from '../core/ports.ts';
import type { Member } from '../core/token.ts';
import type { Binding } from './bindings.ts';
import type { Table } from './tables.ts';

/** A column that must equal a value, both as PostgreSQL's own JSON text: decided without the database. */
export type Equality = { readonly column: string; readonly json: string };

/** A binding that was checked against the database. */
export type PreparedBinding = {
  readonly id: number;
  readonly binding: Binding;
  /** The object id of its table as text; null: every table of its schema. */
  readonly relation: string | null;
  readonly equalities: readonly Equality[];
  /** The other conditions as SQL over a row; 'true': none. */
  readonly condition: string;
};

export type Subscription = {
  member: Member;
  readonly bindings: readonly PreparedBinding[];
  readonly onChange: (change: ChangeEvent) => void;
  /** Ids of changes it has got, while missed ones are sent again: none is sent twice. Null: not needed. */
  sent: Set<number> | null;
};

/** Whether a binding is about this table. */
export function coversTable({ relation, binding }: PreparedBinding, table: Table): boolean {
  if (relation !== null) return relation === table.relation;
  const inSchema = binding.schema === '*' || binding.schema === table.schema;
  return inSchema && (binding.table === '*' || binding.table === table.name);
}
