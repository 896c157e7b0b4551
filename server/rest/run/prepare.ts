import { quote } from '../core/quote.ts';
import { measureCost, NO_COST, type ShapeCost } from '../plan/cost.ts';
import { restErrors } from '../core/errors.ts';
import type { CachedSchema } from './schema-cache-loader.ts';
import { planOnce, type Prepared } from './prepared.ts';
import { createCoalescing } from '#server/db/scheduling/coalescing.ts';
import type { ParsedRequest } from '../parse/request.ts';
import type { Form } from '../parse/form.ts';
import { levelAt, type Parsed, parseQuery } from '../parse/query.ts';
import { planCall } from '../plan/call.ts';
import { planConditions, planRead, type PlannedLevel, getSchema, getTable } from '../plan/read.ts';
import { planSettings } from '../plan/kept-plan.ts';
import { isSameForGuests } from '../plan/same-for-guests.ts';
import { planColumns, planInsert, planPut } from '../plan/write.ts';
import { buildRowsCall, buildValueCall, type ValueForm } from '../sql/calls.ts';
import type { RestConfig } from '../core/config.ts';
import { buildDelete, buildEstimate, buildInsert, buildRead, buildUpdate, type Returning } from '../sql/statements.ts';

export type Prepare = (requested: ParsedRequest, cached: CachedSchema) => Prepared;

const PLAIN: Omit<Prepared, 'statement' | 'searchPath'> = {
  shows: 'rows',
  status: 200,
  bodyAs: 'raw',
  offset: null,
  estimate: null,
  location: false,
  put: false,
  readOnly: false,
  settings: {},
  cost: NO_COST,
  type: null,
  coalesce: null,
};

export function prepareRead(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { count } = requested.preferences;
  return planOnce(plans, getKey(requested, [count]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const parsed = parseQuery(requested.read);
    const level = planRead(schema, getTable(schema, requested.name), parsed, settings);
    return {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      readOnly: true,
      settings: planSettings(level),
      cost: measureCost(level, parsed),
      statement: buildRead(level, { shape: requested.form, total: count, maxRows: settings.maxRows }),
      offset: level.offset,
      estimate: count === 'planned' || count === 'estimated' ? buildEstimate(level) : null,
      coalesce: isSameForGuests(level) ? createCoalescing() : null,
    };
  });
}

export function prepareInsert(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { defaults, resolution, returning } = requested.preferences;
  const keys = requested.body?.keys ?? [];
  const many = requested.body?.count !== 1;
  return planOnce(plans, getKey(requested, [keys, many, defaults, resolution, returning]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const table = getTable(schema, requested.name);
    const parsed = parseQuery(requested.read);
    const insert = planInsert(table, parsed, keys, { defaults, resolution });
    const returned = planReturning(requested, () => planRead(schema, table, parsed, settings));
    const plan = {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      cost: costOfReturning(returned, parsed),
      shows: shownBy(returned),
      status: 201,
    };
    if (insert.columns.length === 0 && many) {
      if ((requested.body?.count ?? 0) > 0) throw restErrors.body('A row without columns is inserted alone');
      return { ...plan, statement: null };
    }
    return { ...plan, statement: buildInsert(insert, returned), bodyAs: 'list', location: returned.kind === 'key' };
  });
}

export function preparePut(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { defaults, returning } = requested.preferences;
  const keys = requested.body?.keys ?? [];
  if (requested.body?.count !== 1) throw restErrors.body('A row is put alone');
  return planOnce(plans, getKey(requested, [keys, defaults, returning]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const table = getTable(schema, requested.name);
    const parsed = parseQuery(requested.read);
    const insert = planPut(table, parsed, keys, defaults);
    const returned = planReturning(requested, () => planRead(schema, table, withoutConditions(parsed), settings));
    const statement = buildInsert(insert, returned);
    return {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      statement,
      cost: costOfReturning(returned, parsed),
      shows: shownBy(returned),
      status: 201,
      bodyAs: 'list',
      put: true,
    };
  });
}

export function prepareUpdate(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { returning } = requested.preferences;
  const keys = requested.body?.keys ?? [];
  if ((requested.body?.count ?? 1) > 1) throw restErrors.body('An update takes one object');
  return planOnce(plans, getKey(requested, [keys, returning]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const table = getTable(schema, requested.name);
    const parsed = parseQuery(requested.read);
    const columns = planColumns(table, parsed.columns ?? keys);
    const returned = planReturning(requested, () => planRead(schema, table, withoutConditions(parsed), settings));
    const plan = {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      cost: costOfReturning(returned, parsed),
      shows: shownBy(returned),
      status: returned.kind === 'rows' ? 200 : 204,
    };
    const conditions = planConditions(table, parsed);
    if (columns.length === 0) return { ...plan, statement: null };
    return { ...plan, statement: buildUpdate(table, columns, conditions, returned), bodyAs: 'list' };
  });
}

export function prepareDelete(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { returning } = requested.preferences;
  return planOnce(plans, getKey(requested, [returning]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const table = getTable(schema, requested.name);
    const parsed = parseQuery(requested.read);
    const returned = planReturning(requested, () => planRead(schema, table, withoutConditions(parsed), settings));
    const statement = buildDelete(table, planConditions(table, parsed), returned);
    const status = returned.kind === 'rows' ? 200 : 204;
    return {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      statement,
      cost: costOfReturning(returned, parsed),
      shows: shownBy(returned),
      status,
    };
  });
}

export function prepareCall(requested: ParsedRequest, { schemaCache, plans, settings }: CachedSchema): Prepared {
  const { count, returning, maxAffected } = requested.preferences;
  const { sent = 'query', keys = [] } = requested.body ?? {};
  const { accepts, type } = requested.form;
  return planOnce(plans, getKey(requested, [sent, keys, count, returning, maxAffected !== null, accepts]), () => {
    const schema = getSchema(schemaCache, requested.schema);
    const parsed = parseQuery(requested.read);
    const given = sent === 'query' ? ({ from: 'query', parsed } as const) : ({ from: 'body', sent, keys } as const);
    const call = planCall(schema, requested.name, given);
    const { routine } = call;
    if (!requested.body && routine.volatile) throw restErrors.volatileGet();
    if (maxAffected !== null && !routine.set) throw restErrors.maxAffectedOne();
    const own = routine.media !== null && !routine.set && takesOwn(accepts, routine.media.type) ? routine.media : null;
    if (own === null && type === '') throw restErrors.accept(accepts.join(', '));
    const quiet = routine.gives === 'nothing' || returning === 'minimal';
    const plan = {
      ...PLAIN,
      searchPath: getSearchPath(schema.name, settings),
      readOnly: !routine.volatile,
      settings: routine.settings,
      status: quiet ? 204 : 200,
    };
    if (!routine.row) {
      const page = levelAt(parsed, '');
      const form: ValueForm = own === null ? requested.form.format : own.bytes ? 'bytes' : 'text';
      const { maxRows } = settings;
      const statement = buildValueCall(call, { maxRows, total: count !== null, page, form });
      const shows = quiet ? 'nothing' : form === 'bytes' ? 'bytes' : 'value';
      const ownType = own === null ? null : own.type === '*/*' ? 'application/octet-stream' : own.type;
      return { ...plan, statement, shows, type: ownType, offset: routine.set ? page.offset : null };
    }
    const level = planRead(schema, routine.row, parsed, settings);
    const statement = buildRowsCall(call, level, {
      shape: requested.form,
      total: count !== null,
      maxRows: settings.maxRows,
    });
    // A function that returns a single row answers with the row itself; a function that returns a table answers with a list.
    const shows = quiet ? 'nothing' : routine.set || requested.form.format === 'csv' ? 'rows' : 'row';
    return { ...plan, statement, cost: measureCost(level, parsed), shows, offset: level.offset };
  });
}

/** Whether the client accepts the function's own media type, either by name or because it accepts any type. */
function takesOwn(accepts: readonly string[], own: string): boolean {
  return own === '*/*' ? !accepts.includes('application/json') : accepts.includes(own) || accepts.includes('*/*');
}

function getSearchPath(schema: string, { extraSearchPath }: RestConfig): string {
  return [...new Set([schema, ...extraSearchPath])].map(quote).join(', ');
}

/** Returns the key of a plan: the request without its values. */
function getKey(requested: ParsedRequest, more: readonly unknown[]): string {
  const { method, schema, name, form, read } = requested;
  // The shape stays outside of the JSON: it is long, and JSON would escape it for each request.
  return JSON.stringify([method, schema, name, form.format, form.stripNulls, ...more]) + read.shape;
}

function planReturning(requested: ParsedRequest, rows: () => PlannedLevel): Returning {
  const { returning } = requested.preferences;
  if (returning === 'representation') return { kind: 'rows', level: rows(), shape: getShape(requested.form) };
  return { kind: returning === 'headers-only' ? 'key' : 'nothing' };
}
const costOfReturning = (returned: Returning, parsed: Parsed): ShapeCost =>
  returned.kind === 'rows' ? measureCost(returned.level, parsed) : NO_COST;
const getShape = ({ format, stripNulls }: Form): Pick<Form, 'format' | 'stripNulls'> => ({ format, stripNulls });
const shownBy = (returning: Returning): Prepared['shows'] => (returning.kind === 'rows' ? 'rows' : 'nothing');

/**
 * Removes the conditions. They choose the rows to write, and the returned rows are not filtered again, because they may no longer match.
 */
function withoutConditions(parsed: Parsed): Parsed {
  const levels = new Map(parsed.levels).set('', { ...levelAt(parsed, ''), conditions: [] });
  return { ...parsed, levels };
}
