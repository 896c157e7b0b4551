import type { Relationship, Schema, Table } from '../schema-cache/schema.ts';
import { nearest } from '../schema-cache/nearest.ts';
import { type Choice, restErrors } from '../core/errors.ts';

/** Finds the only relationship from `from` that matches `target` (a table, a foreign key or its column) and the hint, as PostgREST does. */
export function findRelationship(schema: Schema, from: Table, target: string, hint: string | null): Relationship {
  const all = schema.relationships.get(from) ?? [];
  // A computed relationship takes precedence over every foreign key, so that it can override one.
  const computed = all.find((relationship) => relationship.call !== null && relationship.constraint === target);
  if (computed && hint === null) return computed;
  const single = (columns: readonly string[], name: string): boolean => columns.length === 1 && columns[0] === name;
  const upward = (relationship: Relationship): boolean =>
    relationship.cardinality === 'many-to-one' || relationship.cardinality === 'one-to-one';
  const named = all.filter((relationship) => {
    if (relationship.call !== null) return false;
    if (hint === null && relationship.to.name === target) return true;
    if (hint === null && relationship.through === null)
      return relationship.constraint === target || (upward(relationship) && single(relationship.fromColumns, target));
    if (relationship.to.name !== target) return false;
    if (relationship.through !== null) return relationship.through.table.name === hint;
    // For a self-reference, a column as hint means the "many" side. A request reaches the "one" side with the column as target.
    if (relationship.from === relationship.to && relationship.cardinality === 'many-to-one') return false;
    return (
      relationship.constraint === hint ||
      single(relationship.fromColumns, hint ?? '') ||
      single(relationship.toColumns, hint ?? '')
    );
  });
  // The name of a key means the key's table. It means a view of that table only if the table is not exposed.
  const tables = named.filter((relationship) => relationship.to.name === target || !relationship.to.view);
  // A self-reference has two directions: the table's name means the "many" side, the key's column the "one" side.
  const manySide = tables.filter(
    (relationship) =>
      relationship.from === relationship.to &&
      relationship.to.name === target &&
      relationship.cardinality === 'one-to-many',
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
): { name: string; replaced: string } | null {
  const names = all.map((relationship) => relationship.to.name);
  if (names.includes(target)) return null;
  const related = [...schema.relationships].flatMap(([table, ways]) => (ways.length > 0 ? [table.name] : []));
  const name = all.length > 0 ? nearest(target, names) : nearest(from.name, related);
  return name === null ? null : { name, replaced: all.length > 0 ? target : from.name };
}

function describe(relationship: Relationship): Choice {
  const side = (table: Table, columns: readonly string[]): string => `${table.name}(${columns.join(', ')})`;
  return {
    to: relationship.to.name,
    cardinality: relationship.cardinality,
    embedding: `${relationship.from.name} with ${relationship.to.name}`,
    relationship: relationship.through
      ? `${relationship.through.table.name} using ${relationship.constraint}(${relationship.through.fromColumns.join(', ')}) and ${relationship.through.toConstraint}(${relationship.through.toColumns.join(', ')})`
      : `${relationship.constraint} using ${side(relationship.from, relationship.fromColumns)} and ${side(relationship.to, relationship.toColumns)}`,
  };
}
