import type { Relationship, Schema, Table } from '../schema-cache/schema.ts';
import { nearest } from '../schema-cache/nearest.ts';
import { type Choice, restErrors } from '../core/errors.ts';

/** Finds the only relationship from `from` that matches `target` (a table, a foreign key or its column) and the hint, as PostgREST does. */
export function findRelationship(schema: Schema, from: Table, target: string, hint: string | null): Relationship {
  const all = schema.relationships.get(from) ?? [];
  // A computed relationship takes precedence over every foreign key, so that it can override one.
  const computed = all.find((one) => one.call !== null && one.constraint === target);
  if (computed && hint === null) return computed;
  const single = (columns: readonly string[], name: string): boolean => columns.length === 1 && columns[0] === name;
  const upward = (one: Relationship): boolean => one.cardinality === 'many-to-one' || one.cardinality === 'one-to-one';
  const named = all.filter((one) => {
    if (one.call !== null) return false;
    if (hint === null && one.to.name === target) return true;
    if (hint === null && one.through === null)
      return one.constraint === target || (upward(one) && single(one.fromColumns, target));
    if (one.to.name !== target) return false;
    if (one.through !== null) return one.through.table.name === hint;
    // For a self-reference, a column as hint means the "many" side. A request reaches the "one" side with the column as target.
    if (one.from === one.to && one.cardinality === 'many-to-one') return false;
    return one.constraint === hint || single(one.fromColumns, hint ?? '') || single(one.toColumns, hint ?? '');
  });
  // The name of a key means the key's table. It means a view of that table only if the table is not exposed.
  const tables = named.filter((one) => one.to.name === target || !one.to.view);
  // A self-reference has two directions: the table's name means the "many" side, the key's column the "one" side.
  const manySide = tables.filter(
    (one) => one.from === one.to && one.to.name === target && one.cardinality === 'one-to-many',
  );
  const found = manySide.length > 0 ? manySide : tables.length > 0 ? tables : named;
  const [only, ...others] = found;
  if (!only) throw noRelation(schema, from, target, hint, all);
  if (others.length > 0) throw restErrors.ambiguous(from.name, target, found.map(describe));
  return only;
}

function noRelation(
  schema: Schema,
  from: Table,
  target: string,
  hint: string | null,
  all: readonly Relationship[],
): Error {
  return restErrors.noRelation(schema.name, from.name, target, hint, likeRelation(schema, from, target, all));
}

/**
 * Finds a related table with a name like the target's. If the table has no relationships, finds a table with some and a name like its own.
 */
function likeRelation(
  schema: Schema,
  from: Table,
  target: string,
  all: readonly Relationship[],
): { name: string; insteadOf: string } | null {
  const names = all.map((one) => one.to.name);
  if (names.includes(target)) return null;
  const related = [...schema.relationships].flatMap(([table, ways]) => (ways.length > 0 ? [table.name] : []));
  const name = all.length > 0 ? nearest(target, names) : nearest(from.name, related);
  return name === null ? null : { name, insteadOf: all.length > 0 ? target : from.name };
}

function describe(one: Relationship): Choice {
  const side = (table: Table, columns: readonly string[]): string => `${table.name}(${columns.join(', ')})`;
  return {
    to: one.to.name,
    cardinality: one.cardinality,
    embedding: `${one.from.name} with ${one.to.name}`,
    relationship: one.through
      ? `${one.through.table.name} using ${one.constraint}(${one.through.fromColumns.join(', ')}) and ${one.through.toConstraint}(${one.through.toColumns.join(', ')})`
      : `${one.constraint} using ${side(one.from, one.fromColumns)} and ${side(one.to, one.toColumns)}`,
  };
}
