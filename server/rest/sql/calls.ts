import type { PlannedLevel } from '../plan/read.ts';
import type { PlannedCall } from '../plan/call.ts';
import { WHOLE_ROW } from './conditions.ts';
import { createSqlBuilder, type SqlBuilder, buildWhole, type Statement } from './builder.ts';
import { buildRows, buildTotal, type Shape } from './rows.ts';
import { REPLY_SETTINGS } from './statements.ts';

/** The alias of a call's rows. */
const CALLED = 'w';

/** Builds the call of a function that returns rows, which are filtered, ordered and embedded like those of a table. */
export function buildRowsCall(
  call: PlannedCall,
  level: PlannedLevel,
  options: { shape: Shape; total: boolean; maxRows: number },
): Statement {
  const builder = createSqlBuilder(options.maxRows);
  const called = buildCall(builder, call);
  // Rows of another relation also keep their whole row, because some functions take a row as argument.
  const kept = call.routine.row !== null && call.routine.row.sql !== call.routine.sql;
  const source = { sql: CALLED, kept, capped: call.routine.set };
  const { columns, from } = buildRows(builder, level, source, options.shape);
  const total = options.total ? buildTotal(builder, level, source, null) : 'null::bigint';
  return {
    text: `with w as (select f.*${kept ? `, f as ${WHOLE_ROW}` : ''} from ${called} as f) select ${columns}, ${total} as total, ${REPLY_SETTINGS} from ${from}`,
    binders: builder.binders,
  };
}

/** The format of values: JSON, a CSV table of one column, or a single value as text or as hexadecimal bytes. */
export type ValueForm = 'json' | 'csv' | 'text' | 'bytes';

/** Builds the call of a function that returns values or nothing. `page`: indexes of limit and offset in the request's values. */
export function buildValueCall(
  call: PlannedCall,
  options: { maxRows: number; total: boolean; page: Pick<PlannedLevel, 'limit' | 'offset'>; form: ValueForm },
): Statement {
  const builder = createSqlBuilder(options.maxRows);
  const called = buildCall(builder, call);
  const { set, gives } = call.routine;
  if (gives === 'nothing') {
    const text = `with x as (select 1 as v from ${called} as f) select '' as body, count(*) as count, null::bigint as total, ${REPLY_SETTINGS} from x`;
    return { text, binders: builder.binders };
  }
  const value = set && options.form === 'json' ? LIST : VALUES[options.form];
  const cut = set ? buildPage(builder, options.page) : '';
  const total = options.total ? '(select count(*) from v)' : 'null::bigint';
  return {
    text: `with v as (select f.v from ${called} as f(v)), x as (select v.v from v${cut}) select ${buildWhole(builder, value)} as body, count(*) as count, ${total} as total, ${REPLY_SETTINGS} from x`,
    binders: builder.binders,
  };
}

const LIST = `coalesce(json_agg(x.v), '[]')::text`;
const VALUES: Readonly<Record<ValueForm, string>> = {
  json: `coalesce((json_agg(x.v) -> 0)::text, 'null')`,
  // PostgREST uses this name for the column.
  csv: `'pgrst_scalar' || coalesce(chr(10) || string_agg(substring((x.*)::text, 2, length((x.*)::text) - 2), chr(10)), '')`,
  text: `coalesce(max(x.v::text), '')`,
  bytes: `coalesce(max(encode(x.v, 'hex')), '')`,
};

function buildPage(builder: SqlBuilder, { limit, offset }: Pick<PlannedLevel, 'limit' | 'offset'>): string {
  const max = builder.maxRows;
  const most = limit === null ? max : `${builder.bind({ from: 'value', at: limit, as: 'limit', max })}::bigint`;
  const skip = offset === null ? '' : ` offset ${builder.bind({ from: 'value', at: offset, as: 'offset' })}::bigint`;
  return ` limit ${most}${skip}`;
}

function buildCall(builder: SqlBuilder, { routine, given }: PlannedCall): string {
  if (given.from === 'whole body')
    return `${routine.sql}(${builder.bind({ from: 'body' })}::${routine.arguments[0]?.type ?? 'json'})`;
  if (given.from === 'query') {
    const list = given.arguments.map(({ argument, values }) => {
      const [only = 0, ...others] = values;
      const written =
        others.length > 0
          ? builder.bind({ from: 'values', at: values })
          : builder.bind({ from: 'value', at: only, as: argument.variadic ? 'array' : 'text' });
      return `${argument.variadic ? 'variadic ' : ''}${argument.sql} := ${written}::${argument.type}`;
    });
    return `${routine.sql}(${list.join(', ')})`;
  }
  if (given.arguments.length === 0) return `${routine.sql}()`;
  const body = builder.bind({ from: 'body' });
  const list = given.arguments.map(
    (argument) => `${argument.variadic ? 'variadic ' : ''}${argument.sql} := a.${argument.sql}`,
  );
  const record = given.arguments.map((argument) => `${argument.sql} ${argument.type}`).join(', ');
  return `json_to_record(${body}::json) as a(${record}), lateral ${routine.sql}(${list.join(', ')})`;
}
