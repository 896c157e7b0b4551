import type { SchemaCache, Column, Relationship, Schema, Table } from '../schema-cache/schema.ts';
import { nearest, nearestColumns } from '../schema-cache/nearest.ts';
import { restErrors } from '../core/errors.ts';
import type { Field, Step } from '../parse/grammar.ts';
import { type Condition, type Level, levelAt, type Parsed, type Test } from '../parse/query.ts';
import type { Aggregate, SelectItem } from '../parse/select.ts';
import { findRelationship } from './relationship.ts';

/**
 * Stage two: resolves every name of a request in the schema cache. The plan holds the columns, tables and relationships themselves; the
 * caller's own text remains only as keys of the answer and as values.
 */
export type PlannedField = { readonly column: Column; readonly path: readonly Step[] };
export type PlannedItem =
  | {
      readonly kind: 'field';
      readonly field: PlannedField;
      readonly key: string;
      readonly cast: string | null;
      readonly aggregate: Summed | null;
    }
  | { readonly kind: 'count'; readonly key: string; readonly cast: string | null }
  | { readonly kind: 'embed'; readonly key: string; readonly named: boolean; readonly embed: Embed }
  /** `hoisted`: for each column shown, the aggregate that the enclosing row computes over it, if any. */
  | { readonly kind: 'spread'; readonly embed: Embed; readonly hoisted: readonly (Summed | null)[] };
export type Summed = { readonly name: Aggregate; readonly cast: string | null };
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
  /** Tests whether the embedded relation has any row. */
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
  /** Indexes into the request's values. */
  readonly limit: number | null;
  readonly offset: number | null;
};

/** `aggregates`: whether callers may use them; off by default as in PostgREST, because they can be expensive. */
export type PlanOptions = { readonly aggregates: boolean };

export function getSchema(schemaCache: SchemaCache, name: string | null): Schema {
  const schema = name === null ? [...schemaCache.values()][0] : schemaCache.get(name);
  if (!schema) throw restErrors.schema([...schemaCache.keys()], name ?? '');
  return schema;
}

export function getTable(schema: Schema, name: string): Table {
  const table = schema.tables.get(name);
  if (!table) throw restErrors.noTable(schema.name, name, nearest(name, schema.tables.keys()));
  return table;
}

/** Plans a read of `table`: its own columns and everything embedded in it. Throws `RestRefusal`. */
export function planRead(schema: Schema, table: Table, parsed: Parsed, options: PlanOptions): PlannedLevel {
  const used = new Set<string>(['']);
  const level = planLevel({ schema, parsed, options, used }, table, parsed.select, '');
  for (const path of parsed.levels.keys()) if (!used.has(path)) throw restErrors.notEmbedded(path);
  return level;
}

/** Plans the conditions of an update or delete, which apply only to the table itself. */
export function planConditions(table: Table, parsed: Parsed): PlannedCondition[] {
  return levelAt(parsed, '').conditions.map((condition) => planCondition(table, condition, [], table.name));
}

type Planning = {
  readonly schema: Schema;
  readonly parsed: Parsed;
  readonly options: PlanOptions;
  /** The paths of the embedded levels. */
  readonly used: Set<string>;
};
type NamedEmbed = { readonly name: string; readonly embed: Embed };

function planLevel(planning: Planning, table: Table, select: readonly SelectItem[], path: string): PlannedLevel {
  const level: Level = levelAt(planning.parsed, path);
  const embeds: NamedEmbed[] = [];
  const label = path === '' ? table.name : `${table.name}_${path.split('.').length}`;
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
    return [planItem(planning, table, item, label)];
  });
  refuseUngrouped(select, table, items, label);
  const conditions = level.conditions.map((condition) => planCondition(table, condition, embeds, label));
  for (const { embed } of embeds) if (embed.inner) conditions.push({ kind: 'exists', embed, negated: false });
  const order = level.order.map((term): PlannedOrder => {
    const embed = term.relation === null ? null : embedNamed(embeds, term.relation);
    if (embed?.many) throw restErrors.relatedOrder(table.name, term.relation ?? '');
    const to = embed?.relationship.to;
    const field = planField(to ?? table, term.field, to ? to.name : label);
    return { embed, field, descending: term.descending, nulls: term.nulls };
  });
  return { table, items, conditions, order, limit: level.limit, offset: level.offset };
}

function planItem(
  planning: Planning,
  table: Table,
  item: Exclude<SelectItem, { kind: 'embed' } | { kind: 'star' }>,
  label: string,
): PlannedItem {
  if (isBareCount(item, table))
    return { kind: 'count', key: item.alias ?? 'count', cast: getType(planning.schema, item.cast) };
  if (item.kind === 'count') {
    if (!planning.options.aggregates) throw restErrors.aggregates();
    return { kind: 'count', key: item.alias ?? 'count', cast: getType(planning.schema, item.cast) };
  }
  if (item.aggregate && !planning.options.aggregates) throw restErrors.aggregates();
  const aggregate = item.aggregate && { ...item.aggregate, cast: getType(planning.schema, item.aggregate.cast) };
  return {
    kind: 'field',
    field: planField(table, item.field, label),
    key: item.alias ?? (aggregate ? aggregate.name : getKey(item.field)),
    cast: getType(planning.schema, item.cast),
    aggregate,
  };
}

/** Whether the item is a bare `count` and no column has that name. PostgreSQL then counts the rows, even with aggregates switched off. */
function isBareCount(item: SelectItem, table: Table): item is SelectItem & { kind: 'column' } {
  if (item.kind !== 'column' || item.field.name !== 'count' || item.field.path.length > 0 || item.aggregate)
    return false;
  return !table.columns.has('count') && !table.computed.has('count');
}

/** Refuses columns next to a bare count (`id,count`), because the rows are not grouped by them. */
function refuseUngrouped(
  select: readonly SelectItem[],
  table: Table,
  items: readonly PlannedItem[],
  label: string,
): void {
  if (!select.some((item) => isBareCount(item, table))) return;
  for (const item of items) {
    if (item.kind === 'field' && item.aggregate === null) throw restErrors.ungrouped(label, item.field.column.name);
    if (item.kind === 'embed' || item.kind === 'spread')
      throw restErrors.ungrouped(label, item.embed.relationship.fromColumns[0] ?? item.embed.relationship.constraint);
  }
}

/** Returns the default key of a field. A path is named after its last key, an index after what it indexes. */
function getKey(field: Field): string {
  return field.path.findLast((step) => !/^-?\d+$/.test(step.key))?.key ?? field.name;
}

function getType(schema: Schema, cast: string | null): string | null {
  if (cast === null) return null;
  const type = schema.types.get(cast);
  if (type === undefined) throw restErrors.noType(cast);
  return type;
}

/** `label`: the name of the table in the statement, for refusals. */
function planField(table: Table, field: Field, label: string): PlannedField {
  const column = table.columns.get(field.name) ?? table.computed.get(field.name);
  if (!column) throw restErrors.noColumn(label, field.name, nearestColumns(field.name, table.columns.keys()));
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
  if (embeds.some((embed) => embed.name === name)) throw restErrors.sameName(table.name, name);
  const many = relationship.cardinality === 'one-to-many' || relationship.cardinality === 'many-to-many';
  const level = planLevel(planning, relationship.to, item.select, inside);
  const embed: Embed = { relationship, inner: item.inner, many, level };
  embeds.push({ name, embed });
  if (item.spread && many) return [{ kind: 'spread', embed, hoisted: [] }];
  if (item.spread) return hoist(embed);
  // `relation()` shows nothing: it only serves as a filter.
  return item.select.length === 0 ? [] : [{ kind: 'embed', key: name, named: item.alias === null, embed }];
}

/** Moves the aggregates of a spread to-one row to the enclosing level, which has several rows to aggregate. */
function hoist(embed: Embed): PlannedItem[] {
  const hoisted: (Summed | null)[] = [];
  const counts: PlannedItem[] = [];
  const items = embed.level.items.flatMap((item): PlannedItem[] => {
    if (item.kind === 'count') {
      counts.push(item);
      return [];
    }
    if (item.kind === 'spread' && !item.embed.many) {
      hoisted.push(...item.hoisted);
      return [{ ...item, hoisted: item.hoisted.map(() => null) }];
    }
    if (item.kind === 'spread') {
      hoisted.push(...shownBy(item.embed.level).map(() => null));
      return [item];
    }
    hoisted.push(item.kind === 'field' ? item.aggregate : null);
    return [item.kind === 'field' ? { ...item, aggregate: null } : item];
  });
  return [{ kind: 'spread', embed: { ...embed, level: { ...embed.level, items } }, hoisted }, ...counts];
}

/** Returns the keys that a level shows, including those that are spread into it. */
function shownBy(level: PlannedLevel): string[] {
  return level.items.flatMap((item) => (item.kind === 'spread' ? shownBy(item.embed.level) : [item.key]));
}

function embedNamed(embeds: readonly NamedEmbed[], name: string): Embed {
  const found = embeds.find((embed) => embed.name === name);
  if (!found) throw restErrors.notEmbedded(name);
  return found.embed;
}

function planCondition(
  table: Table,
  condition: Condition,
  embeds: readonly NamedEmbed[],
  label: string,
): PlannedCondition {
  if (condition.kind === 'logic')
    return { ...condition, of: condition.of.map((part) => planCondition(table, part, embeds, label)) };
  const { field, negated, test } = condition;
  const embedded = embeds.find((embed) => embed.name === field.name);
  if (embedded && field.path.length === 0 && !table.columns.has(field.name)) {
    if (test.kind !== 'is' || (test.state !== 'null' && test.state !== 'not_null'))
      throw restErrors.embedFilter(field.name);
    return { kind: 'exists', embed: embedded.embed, negated: (test.state === 'null') !== negated };
  }
  return { kind: 'test', field: planField(table, field, label), negated, test };
}
