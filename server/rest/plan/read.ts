import type { Catalogue, Column, Relationship, Schema, Table } from '../catalogue/catalogue.ts';
import { restErrors } from '../errors.ts';
import { nearest } from '../catalogue/nearest.ts';
import type { Field, Step } from '../parse/cursor.ts';
import { type Condition, type Level, levelAt, type Parsed, type Test } from '../parse/query.ts';
import type { Aggregate, SelectItem } from '../parse/select.ts';

/**
 * The second stage: every name of a request looked up in the catalogue. What comes out holds columns, tables and relationships
 * themselves; the caller's own words survive only as keys of the answer and as values.
 */
export type PlannedField = { readonly column: Column; readonly path: readonly Step[] };
export type PlannedItem =
  | {
      readonly kind: 'field';
      readonly field: PlannedField;
      readonly key: string;
      readonly cast: string | null;
      readonly aggregate: { readonly name: Aggregate; readonly cast: string | null } | null;
    }
  | { readonly kind: 'count'; readonly key: string; readonly cast: string | null }
  | { readonly kind: 'embed'; readonly key: string; readonly named: boolean; readonly embed: Embed }
  | { readonly kind: 'spread'; readonly embed: Embed };
export type Embed = {
  readonly relationship: Relationship;
  readonly inner: boolean;
  readonly many: boolean;
  readonly level: PlannedLevel;
};
export type PlannedCondition =
  | { readonly kind: 'test'; readonly field: PlannedField; readonly negated: boolean; readonly test: Test }
  | {
      readonly kind: 'logic';
      readonly operator: 'and' | 'or';
      readonly negated: boolean;
      readonly of: readonly PlannedCondition[];
    }
  /** Whether the embedded relation has a row. */
  | { readonly kind: 'exists'; readonly embed: Embed; readonly negated: boolean };
export type PlannedOrder = {
  readonly embed: Embed | null;
  readonly field: PlannedField;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last' | null;
};
export type PlannedLevel = {
  readonly table: Table;
  readonly items: readonly PlannedItem[];
  readonly conditions: readonly PlannedCondition[];
  readonly order: readonly PlannedOrder[];
  /** Places in the request's values. */
  readonly limit: number | null;
  readonly offset: number | null;
};

/** `aggregates`: whether sums and counts by request are allowed; off as in PostgREST, since they can be made to cost much. */
export type PlanOptions = { readonly aggregates: boolean };

export function schemaOf(catalogue: Catalogue, name: string | null): Schema {
  const schema = name === null ? [...catalogue.values()][0] : catalogue.get(name);
  if (!schema) throw restErrors.schema([...catalogue.keys()], name ?? '');
  return schema;
}

export function tableOf(schema: Schema, name: string): Table {
  const table = schema.tables.get(name);
  if (!table) throw restErrors.noTable(schema.name, name, nearest(name, schema.tables.keys()));
  return table;
}

/** Plans what is read of `table`: its own columns and everything embedded. Throws `RestRefusal`. */
export function planRead(schema: Schema, table: Table, parsed: Parsed, options: PlanOptions): PlannedLevel {
  const used = new Set<string>(['']);
  const level = planLevel({ schema, parsed, options, used }, table, parsed.select, '');
  for (const path of parsed.levels.keys()) if (!used.has(path)) throw restErrors.notEmbedded(path);
  return level;
}

/** The conditions of an update or delete, which are about the table alone. */
export function planConditions(table: Table, parsed: Parsed): PlannedCondition[] {
  return levelAt(parsed, '').conditions.map((condition) => planCondition(table, condition, []));
}

type Planning = {
  readonly schema: Schema;
  readonly parsed: Parsed;
  readonly options: PlanOptions;
  /** Paths of levels that belong to something embedded. */
  readonly used: Set<string>;
};
type NamedEmbed = { readonly name: string; readonly embed: Embed };

function planLevel(planning: Planning, table: Table, select: readonly SelectItem[], path: string): PlannedLevel {
  const level: Level = levelAt(planning.parsed, path);
  const embeds: NamedEmbed[] = [];
  const items = select.flatMap((item): PlannedItem[] => {
    if (item.kind === 'embed') return planEmbedItem(planning, table, item, path, embeds);
    if (item.kind === 'star')
      return [...table.columns.values()].map((column) => ({
        kind: 'field',
        field: { column, path: [] },
        key: column.name,
        cast: null,
        aggregate: null,
      }));
    return [planItem(planning, table, item)];
  });
  const conditions = level.conditions.map((condition) => planCondition(table, condition, embeds));
  for (const { embed } of embeds) if (embed.inner) conditions.push({ kind: 'exists', embed, negated: false });
  const order = level.order.map((one): PlannedOrder => {
    const embed = one.relation === null ? null : embedNamed(embeds, one.relation);
    if (embed?.many) throw restErrors.relatedOrder(table.name, one.relation ?? '');
    const field = planField(embed ? embed.relationship.to : table, one.field);
    return { embed, field, descending: one.descending, nulls: one.nulls };
  });
  return { table, items, conditions, order, limit: level.limit, offset: level.offset };
}

function planItem(
  planning: Planning,
  table: Table,
  item: Exclude<SelectItem, { kind: 'embed' } | { kind: 'star' }>,
): PlannedItem {
  if (item.kind === 'count') {
    if (!planning.options.aggregates) throw restErrors.aggregates();
    return { kind: 'count', key: item.alias ?? 'count', cast: typeOf(planning.schema, item.cast) };
  }
  if (item.aggregate && !planning.options.aggregates) throw restErrors.aggregates();
  const aggregate = item.aggregate && { ...item.aggregate, cast: typeOf(planning.schema, item.aggregate.cast) };
  return {
    kind: 'field',
    field: planField(table, item.field),
    key: item.alias ?? (aggregate ? aggregate.name : keyOf(item.field)),
    cast: typeOf(planning.schema, item.cast),
    aggregate,
  };
}

/** A path is called after its last key; an index is called after what it is taken from. */
function keyOf(field: Field): string {
  return field.path.findLast((step) => !/^-?\d+$/.test(step.key))?.key ?? field.name;
}

function typeOf(schema: Schema, cast: string | null): string | null {
  if (cast === null) return null;
  const type = schema.types.get(cast);
  if (type === undefined) throw restErrors.noType(cast);
  return type;
}

function planField(table: Table, field: Field): PlannedField {
  const column = table.columns.get(field.name);
  if (!column) throw restErrors.noColumn(table.name, field.name);
  return { column, path: field.path };
}

function planEmbedItem(
  planning: Planning,
  table: Table,
  item: SelectItem & { kind: 'embed' },
  path: string,
  embeds: NamedEmbed[],
): PlannedItem[] {
  const relationship = findRelationship(planning.schema, table, item.relation, item.hint);
  const name = item.alias ?? item.relation;
  const inside = path === '' ? name : `${path}.${name}`;
  planning.used.add(inside);
  const many = relationship.cardinality === 'one-to-many' || relationship.cardinality === 'many-to-many';
  if (item.spread && many) throw restErrors.spread(table.name, item.relation);
  const level = planLevel(planning, relationship.to, item.select, inside);
  const embed: Embed = { relationship, inner: item.inner, many, level };
  embeds.push({ name, embed });
  if (item.spread) return [{ kind: 'spread', embed }];
  // `relation()` shows nothing: it is there to filter by.
  return item.select.length === 0 ? [] : [{ kind: 'embed', key: name, named: item.alias === null, embed }];
}

function embedNamed(embeds: readonly NamedEmbed[], name: string): Embed {
  const found = embeds.find((one) => one.name === name);
  if (!found) throw restErrors.notEmbedded(name);
  return found.embed;
}

function planCondition(table: Table, condition: Condition, embeds: readonly NamedEmbed[]): PlannedCondition {
  if (condition.kind === 'logic')
    return { ...condition, of: condition.of.map((one) => planCondition(table, one, embeds)) };
  const { field, negated, test } = condition;
  const embedded = embeds.find((one) => one.name === field.name);
  if (embedded && field.path.length === 0 && !table.columns.has(field.name)) {
    if (test.kind !== 'is' || (test.state !== 'null' && test.state !== 'not_null'))
      throw restErrors.embedFilter(field.name);
    return { kind: 'exists', embed: embedded.embed, negated: (test.state === 'null') !== negated };
  }
  return { kind: 'test', field: planField(table, field), negated, test };
}

/** Finds the one way from `from` that `target` (a table, a foreign key or its column) and the hint mean, as PostgREST does. */
function findRelationship(schema: Schema, from: Table, target: string, hint: string | null): Relationship {
  const all = schema.relationships.get(from) ?? [];
  const single = (columns: readonly string[], name: string): boolean => columns.length === 1 && columns[0] === name;
  const upward = (one: Relationship): boolean => one.cardinality === 'many-to-one' || one.cardinality === 'one-to-one';
  const named = all.filter((one) => {
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
  if (!only) throw restErrors.noRelation(schema.name, from.name, target, hint);
  if (others.length > 0) throw restErrors.ambiguous(from.name, target, found.map(describe));
  return only;
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
