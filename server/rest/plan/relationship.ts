import type { Relationship, Schema, Table } from '../catalogue/catalogue.ts';
import { nearest } from '../catalogue/nearest.ts';
import { restErrors } from '../errors.ts';

/** Relations may be offered more freely than tables: they hang on a table the caller named rightly. */
const LIKE = 0.33;

/** Finds the one way from `from` that `target` (a table, a foreign key or its column) and the hint mean, as PostgREST does. */
export function findRelationship(schema: Schema, from: Table, target: string, hint: string | null): Relationship {
  const all = schema.relationships.get(from) ?? [];
  // A function of the row goes before every key, so that it can take the place of one.
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
    // From a table to itself the column's name means its many side; the one side is asked for by the column as target.
    if (one.from === one.to && one.cardinality === 'many-to-one') return false;
    return one.constraint === hint || single(one.fromColumns, hint ?? '') || single(one.toColumns, hint ?? '');
  });
  // A key's own name leads to its table; a view of that table is meant only where the table is not shown.
  const tables = named.filter((one) => one.to.name === target || !one.to.view);
  const found = tables.length > 0 ? tables : named;
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
  const names = all.map((one) => (one.call === null ? one.to.name : one.constraint));
  const like = names.includes(target) ? null : nearest(target, names, LIKE);
  return restErrors.noRelation(schema.name, from.name, target, hint, like);
}

function describe(one: Relationship): { cardinality: string; embedding: string; relationship: string } {
  const side = (table: Table, columns: readonly string[]): string => `${table.name}(${columns.join(', ')})`;
  return {
    cardinality: one.cardinality,
    embedding: `${one.from.name} with ${one.to.name}`,
    relationship: one.through
      ? `${one.through.table.name} using ${one.constraint}(${one.through.fromColumns.join(', ')}) and ${one.through.toConstraint}(${one.through.toColumns.join(', ')})`
      : `${one.constraint} using ${side(one.from, one.fromColumns)} and ${side(one.to, one.toColumns)}`,
  };
}
