import type { Asked } from './parse/asked.ts';
import { restErrors } from './errors.ts';
import { type Knowledge, planOnce } from './known.ts';
import { levelAt, type Parsed, parseQuery } from './parse/query.ts';
import { planConditions, planRead, type PlannedLevel, schemaOf, tableOf } from './plan/read.ts';
import { planCall, planColumns, planInsert } from './plan/write.ts';
import type { Statement } from './print/printer.ts';
import {
  printDelete,
  printEstimate,
  printInsert,
  printRead,
  printRowsCall,
  printUpdate,
  printValueCall,
  type Returning,
} from './print/statements.ts';

/** Everything about a request that its values do not change. */
export type Prepared = {
  /** Null: there is nothing to run, the answer is an empty list. */
  readonly statement: Statement | null;
  /** A list, the one row of a function, a value, or nothing. */
  readonly shows: 'rows' | 'row' | 'value' | 'nothing';
  readonly status: number;
  readonly bodyAs: 'list' | 'text';
  /** The place of the root's offset in the values. */
  readonly offset: number | null;
  readonly estimate: Statement | null;
  /** The table whose new row's address is told. */
  readonly place: boolean;
};
export type PrepareOptions = { readonly maxRows: number; readonly aggregates: boolean };
export type Prepare = (asked: Asked, knowledge: Knowledge, options: PrepareOptions) => Prepared;

const READ: Omit<Prepared, 'statement'> = {
  shows: 'rows',
  status: 200,
  bodyAs: 'text',
  offset: null,
  estimate: null,
  place: false,
};

export function prepareRead(asked: Asked, { catalogue, plans }: Knowledge, options: PrepareOptions): Prepared {
  const { count } = asked.preferences;
  return planOnce(plans, keyOf(asked, [count]), () => {
    const schema = schemaOf(catalogue, asked.schema);
    const parsed = parseQuery(asked.read);
    const level = planRead(schema, tableOf(schema, asked.name), parsed, options);
    return {
      ...READ,
      statement: printRead(level, { shape: asked.form, total: count, maxRows: options.maxRows }),
      offset: level.offset,
      estimate: count === 'planned' || count === 'estimated' ? printEstimate(level) : null,
    };
  });
}

export function prepareInsert(asked: Asked, { catalogue, plans }: Knowledge, options: PrepareOptions): Prepared {
  const { defaults, resolution, returning } = asked.preferences;
  const keys = asked.body?.keys ?? [];
  const many = asked.body?.count !== 1;
  return planOnce(plans, keyOf(asked, [keys, many, defaults, resolution, returning]), () => {
    const schema = schemaOf(catalogue, asked.schema);
    const table = tableOf(schema, asked.name);
    const parsed = parseQuery(asked.read);
    const insert = planInsert(table, parsed, keys, { defaults, resolution });
    const back = planReturning(asked, () => planRead(schema, table, parsed, options));
    if (insert.columns.length === 0 && many) {
      if ((asked.body?.count ?? 0) > 0) throw restErrors.body('A row without columns is inserted alone');
      return { ...READ, statement: null, shows: shownBy(back), status: 201 };
    }
    const statement = printInsert(insert, back);
    return { ...READ, statement, shows: shownBy(back), status: 201, bodyAs: 'list', place: back.kind === 'key' };
  });
}

export function prepareUpdate(asked: Asked, { catalogue, plans }: Knowledge, options: PrepareOptions): Prepared {
  const { returning } = asked.preferences;
  const keys = asked.body?.keys ?? [];
  if ((asked.body?.count ?? 1) > 1) throw restErrors.body('An update takes one object');
  return planOnce(plans, keyOf(asked, [keys, returning]), () => {
    const schema = schemaOf(catalogue, asked.schema);
    const table = tableOf(schema, asked.name);
    const parsed = parseQuery(asked.read);
    const columns = planColumns(table, parsed.columns ?? keys);
    const back = planReturning(asked, () => planRead(schema, table, withoutConditions(parsed), options));
    const status = back.kind === 'rows' ? 200 : 204;
    const conditions = planConditions(table, parsed);
    if (columns.length === 0) return { ...READ, statement: null, shows: shownBy(back), status };
    const statement = printUpdate(table, columns, conditions, back);
    return { ...READ, statement, shows: shownBy(back), status, bodyAs: 'list' };
  });
}

export function prepareDelete(asked: Asked, { catalogue, plans }: Knowledge, options: PrepareOptions): Prepared {
  const { returning } = asked.preferences;
  return planOnce(plans, keyOf(asked, [returning]), () => {
    const schema = schemaOf(catalogue, asked.schema);
    const table = tableOf(schema, asked.name);
    const parsed = parseQuery(asked.read);
    const back = planReturning(asked, () => planRead(schema, table, withoutConditions(parsed), options));
    const statement = printDelete(table, planConditions(table, parsed), back);
    return { ...READ, statement, shows: shownBy(back), status: back.kind === 'rows' ? 200 : 204 };
  });
}

export function prepareCall(asked: Asked, { catalogue, plans }: Knowledge, options: PrepareOptions): Prepared {
  const { count, returning } = asked.preferences;
  const keys = asked.body ? asked.body.keys : [];
  return planOnce(plans, keyOf(asked, [keys, count, returning]), () => {
    const schema = schemaOf(catalogue, asked.schema);
    const parsed = parseQuery(asked.read);
    const call = planCall(schema, asked.name, asked.body ? { from: 'body', keys } : { from: 'query', parsed });
    const { routine } = call;
    if (!asked.body && routine.volatile) throw restErrors.volatileGet();
    const quiet = routine.gives === 'nothing' || returning === 'minimal';
    if (!routine.row) {
      const statement = printValueCall(call, options.maxRows);
      return { ...READ, statement, shows: quiet ? 'nothing' : 'value', status: quiet ? 204 : 200 };
    }
    const level = planRead(schema, routine.row, parsed, options);
    const shape = { format: asked.form.format, stripNulls: asked.form.stripNulls };
    const statement = printRowsCall(call, level, { shape, total: count !== null, maxRows: options.maxRows });
    // A function that gives one row answers that row itself, not a list of it.
    const shows = quiet ? 'nothing' : routine.set ? 'rows' : 'row';
    return { ...READ, statement, shows, status: quiet ? 204 : 200, offset: level.offset };
  });
}

/** All that tells plans apart: the question without its values. */
function keyOf(asked: Asked, more: readonly unknown[]): string {
  const { method, schema, name, form, read } = asked;
  return JSON.stringify([method, schema, name, form.format, form.stripNulls, ...more, read.shape]);
}

function planReturning(asked: Asked, rows: () => PlannedLevel): Returning {
  const { returning } = asked.preferences;
  if (returning === 'representation') return { kind: 'rows', level: rows(), shape: asked.form };
  return { kind: returning === 'headers-only' ? 'key' : 'nothing' };
}
const shownBy = (returning: Returning): Prepared['shows'] => (returning.kind === 'rows' ? 'rows' : 'nothing');

/** The conditions choose the rows to write; what comes back is not filtered again, since it may no longer fit. */
function withoutConditions(parsed: Parsed): Parsed {
  const levels = new Map(parsed.levels).set('', { ...levelAt(parsed, ''), conditions: [] });
  return { ...parsed, levels };
}
