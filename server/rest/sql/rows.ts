import type { Relationship } from '../schema-cache/schema.ts';
import type { Embed, PlannedItem, PlannedLevel, Summed } from '../plan/read.ts';
import { type RowSource, buildColumn, buildField, buildJoin, buildOrder, buildWhere, WHOLE_ROW } from './conditions.ts';
import { type SqlBuilder, buildPart, buildWhole } from './builder.ts';

/**
 * Stage three: builds SQL from a plan. Identifiers come from the schema cache, every text of the caller is a `$n`, and the database builds
 * the answer's JSON.
 */

/** The format of the answer: a JSON list or one CSV text. `stripNulls`: whether the answer leaves out nulls. */
export type Shape = { readonly format: 'json' | 'csv'; readonly stripNulls: boolean };
/**
 * The source of the rows: a relation, or the result of an earlier part of the statement. `kept`: one of its columns is the whole row.
 * `capped`: the answer shows at most the builder's `maxRows`.
 */
export type Source = { readonly sql: string; readonly kept: boolean; readonly capped: boolean };

/** Builds `select <body>, <count> from (…) x`: the text of all rows, and their number. */
export function buildRows(
  builder: SqlBuilder,
  level: PlannedLevel,
  source: Source,
  shape: Shape,
): { columns: string; from: string } {
  const rows = buildTop(builder, level, source);
  const cut = buildCut(builder, level, source.capped ? builder.maxRows : null);
  const body = shape.format === 'csv' ? buildCsv(builder, rows.keys) : buildList(builder, rows, shape.stripNulls);
  return { columns: `${buildWhole(builder, body)} as body, count(*) as count`, from: `(${rows.select}${cut}) x` };
}

/** Counts the rows without limit and offset. Stops at `most`. */
export function buildTotal(builder: SqlBuilder, level: PlannedLevel, source: Source, most: number | null): string {
  const rows = isGrouped(level) ? buildTop(builder, level, source).select : buildCounted(builder, level, source);
  return `(select count(*) from (${rows}${most === null ? '' : ` limit ${most}`}) x)`;
}

/** Selects the rows without any columns, for counting. */
export function buildCounted(builder: SqlBuilder, level: PlannedLevel, source: Source): string {
  const rowSource = createRowSource(builder, source);
  return `select from ${source.sql} as ${rowSource.alias}${buildWhere(builder, rowSource, level.conditions)}`;
}

function createRowSource(builder: SqlBuilder, source: Source): RowSource {
  const alias = builder.alias();
  return { alias, row: source.kept ? `${alias}.${WHOLE_ROW}` : alias };
}

function buildTop(builder: SqlBuilder, level: PlannedLevel, source: Source): Rows {
  const rowSource = createRowSource(builder, source);
  return buildLevel(builder, level, { from: `${source.sql} as ${rowSource.alias}`, rowSource, conditions: [] });
}

/**
 * A level as a subquery. `named`: its columns are named after the keys of the answer; otherwise they are c1, c2 … and the keys are values.
 */
type Rows = { readonly select: string; readonly named: boolean; readonly keys: readonly string[] };

function buildList(builder: SqlBuilder, rows: Rows, stripNulls: boolean): string {
  const list = `json_agg(${buildObject(builder, rows)})`;
  return `coalesce(${stripNulls ? `json_strip_nulls(${list})` : list}, '[]')::text`;
}

/** PostgreSQL functions take at most 100 arguments, which is fifty pairs. */
const PAIRS_MAX = 50;

function buildObject(builder: SqlBuilder, rows: Rows): string {
  if (rows.named) return 'x.*';
  const pairs = rows.keys.map(
    (key, index) => `${builder.bind({ from: 'constant', value: key })}::text, x.c${index + 1}`,
  );
  if (pairs.length <= PAIRS_MAX) return `json_build_object(${pairs.join(', ')})`;
  const parts: string[] = [];
  for (let index = 0; index < pairs.length; index += PAIRS_MAX)
    parts.push(`jsonb_build_object(${pairs.slice(index, index + PAIRS_MAX).join(', ')})`);
  return `(${parts.join(' || ')})::json`;
}

function buildCsv(builder: SqlBuilder, keys: readonly string[]): string {
  const head = keys.map((key) => (/[",\n\r]/.test(key) ? `"${key.replaceAll('"', '""')}"` : key)).join(',');
  const line = 'substring((x.*)::text, 2, length((x.*)::text) - 2)';
  return `${builder.bind({ from: 'constant', value: head })}::text || coalesce(chr(10) || string_agg(${line}, chr(10)), '')`;
}

type From = { readonly from: string; readonly rowSource: RowSource; readonly conditions: readonly string[] };

function buildLevel(builder: SqlBuilder, level: PlannedLevel, { from, rowSource, conditions }: From): Rows {
  const laterals: string[] = [];
  const shown = level.items.flatMap((item) => buildItem(builder, rowSource, item, laterals));
  const named = shown.every((column) => column.identifier !== null);
  const list = shown
    .map((column, index) => `${column.sql} as ${named ? column.identifier : `c${index + 1}`}`)
    .join(', ');
  const where = buildWhere(builder, rowSource, level.conditions, conditions);
  const rest = `${buildGroups(level, shown)}${buildOrder(builder, rowSource, level.order, isGrouped(level))}`;
  return {
    select: `select ${list} from ${from}${laterals.join('')}${where}${rest}`,
    named,
    keys: shown.map((column) => column.key),
  };
}

/** One column of a level: its expression, its key, and the schema cache's identifier if that equals the key. */
type Shown = {
  readonly sql: string;
  readonly key: string;
  readonly identifier: string | null;
  readonly groupBy: readonly string[];
};

function buildItem(builder: SqlBuilder, rowSource: RowSource, item: PlannedItem, laterals: string[]): Shown[] {
  switch (item.kind) {
    case 'field': {
      const plain = buildField(builder, rowSource, item.field);
      const cast = item.cast === null ? plain : `(${plain})::${item.cast}`;
      const identifier =
        item.aggregate === null && item.field.path.length === 0 && item.key === item.field.column.name
          ? item.field.column.sql
          : null;
      return [summed({ sql: cast, key: item.key, identifier, groupBy: [cast] }, item.aggregate)];
    }
    case 'count':
      return [
        { sql: `count(*)${item.cast === null ? '' : `::${item.cast}`}`, key: item.key, identifier: null, groupBy: [] },
      ];
    case 'embed': {
      const { relationship } = item.embed;
      return [
        {
          sql: buildEmbed(builder, rowSource, item.embed),
          key: item.key,
          identifier: item.named ? findIdentifier(relationship, item.key) : null,
          groupBy: relationship.fromColumns.map((name) => buildColumn(rowSource.alias, relationship.from, name)),
        },
      ];
    }
    case 'spread':
      return buildSpread(builder, rowSource, item, laterals);
  }
}

function summed(shown: Shown, sum: Summed | null): Shown {
  if (sum === null) return shown;
  const sql = `${sum.name}(${shown.sql})`;
  return { ...shown, sql: sum.cast === null ? sql : `${sql}::${sum.cast}`, identifier: null, groupBy: [] };
}

/** Spreads the columns of a related row into the row. Those of many related rows become one list each. */
function buildSpread(
  builder: SqlBuilder,
  rowSource: RowSource,
  { embed, hoisted }: PlannedItem & { kind: 'spread' },
  laterals: string[],
): Shown[] {
  const inside = builder.alias();
  const rows = buildEmbedded(builder, rowSource, embed);
  const names = rows.named ? spreadIdentifiers(embed.level) : rows.keys.map((_, index) => `c${index + 1}`);
  if (embed.many) {
    const lists = names
      .map((name) => `${buildPart(builder, `coalesce(json_agg(x.${name}), '[]')`, 'count(*)')} as ${name}`)
      .join(', ');
    const cut = buildCut(builder, embed.level, builder.maxRows);
    laterals.push(` left join lateral (select ${lists} from (${rows.select}${cut}) x) as ${inside} on true`);
  } else laterals.push(` left join lateral (${rows.select} limit 1) as ${inside} on true`);
  return rows.keys.map((key, index) => {
    const sql = `${inside}.${names[index] ?? ''}`;
    const identifier = rows.named ? (names[index] ?? null) : null;
    return summed({ sql, key, identifier, groupBy: [sql] }, hoisted[index] ?? null);
  });
}

/** Returns the column names of a level in order if all its keys come from the schema cache. */
function spreadIdentifiers(level: PlannedLevel): string[] {
  return level.items.flatMap((item) => {
    if (item.kind === 'field') return [item.field.column.sql];
    if (item.kind === 'embed') return [findIdentifier(item.embed.relationship, item.key) ?? ''];
    return item.kind === 'spread' ? spreadIdentifiers(item.embed.level) : [];
  });
}

/** Returns the identifier of a key if the request named the embedded relation by its table, its key's column or its constraint. */
function findIdentifier(relationship: Relationship, key: string): string | null {
  const candidates = [relationship.to.name, relationship.constraint, ...relationship.fromColumns];
  return candidates.includes(key) ? `"${key.replaceAll('"', '""')}"` : null;
}

function buildEmbed(builder: SqlBuilder, of: RowSource, embed: Embed): string {
  const rows = buildEmbedded(builder, of, embed);
  const object = buildObject(builder, rows);
  if (!embed.many) return `(select ${rows.named ? `row_to_json(${object})` : object} from (${rows.select} limit 1) x)`;
  const cut = buildCut(builder, embed.level, builder.maxRows);
  const list = buildPart(builder, `coalesce(json_agg(${object}), '[]')`, 'count(*)');
  return `(select ${list} from (${rows.select}${cut}) x)`;
}

function buildEmbedded(builder: SqlBuilder, of: RowSource, { level, relationship }: Embed): Rows {
  return buildLevel(builder, level, buildJoin(builder, of, relationship, true));
}

function buildCut(builder: SqlBuilder, { limit, offset }: PlannedLevel, max: number | null): string {
  const most = limit === null ? max : `${builder.bind({ from: 'value', at: limit, as: 'limit', max })}::bigint`;
  const skip = offset === null ? '' : ` offset ${builder.bind({ from: 'value', at: offset, as: 'offset' })}::bigint`;
  return `${most === null ? '' : ` limit ${most}`}${skip}`;
}

function isGrouped(level: PlannedLevel): boolean {
  return level.items.some(
    (item) =>
      item.kind === 'count' ||
      (item.kind === 'field' && item.aggregate !== null) ||
      (item.kind === 'spread' && item.hoisted.some((sum) => sum !== null)),
  );
}

function buildGroups(level: PlannedLevel, shown: readonly Shown[]): string {
  if (!isGrouped(level)) return '';
  const by = [...new Set(shown.flatMap((column) => column.groupBy))];
  return by.length === 0 ? '' : ` group by ${by.join(', ')}`;
}
