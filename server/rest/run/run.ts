import type { Database, Principal, Query } from '#server/db/database.ts';
import { withRollback } from '#server/db/roll-back.ts';
import type { Caller } from '#server/http/caller.ts';
import { callerKey } from '#server/http/suspension.ts';
import { quote } from '../core/quote.ts';
import { BOUNDS, callerClass } from '../core/bounds.ts';
import { restErrors } from '../core/errors.ts';
import type { CachedSchema } from './schema-cache-loader.ts';
import type { ParsedRequest } from '../parse/request.ts';
import type { PlanForm } from '../parse/form.ts';
import type { Prepared } from './prepared.ts';
import { type AnswerBounds, bindValues } from '../sql/builder.ts';
import { REPLY_SETTINGS, type ReplyRow } from '../sql/statements.ts';
import type { RestConfig, RoleSettings } from '../core/config.ts';

const NOTHING: ReplyRow = { body: '[]', count: 0, total: 0 };

/** Runs a prepared statement as the caller: role, claims, request settings and query in one round trip. */
export async function runPrepared(
  db: Database,
  requested: ParsedRequest,
  prepared: Prepared,
  caller: Caller,
  { settings, roles }: CachedSchema,
): Promise<ReplyRow> {
  if (!prepared.statement) return NOTHING;
  const rollback = isUndone(settings, requested);
  const bounds = answerBounds(caller, settings);
  const coalesce = caller.role === 'anon' && settings.preRequest === null && !rollback ? prepared.coalesce : null;
  const principal = toPrincipal(requested, prepared, caller, { roles, shared: coalesce !== null });
  if (settings.preRequest === null && !limitsCount(requested, prepared)) {
    const run = (started?: () => void): Promise<ReplyRow> => {
      const queryAsCaller: Query = <R>(text: string, values?: readonly unknown[]) =>
        db.as<R>(principal, text, values, { rollback, started });
      return queryRow(queryAsCaller, requested, prepared, settings, bounds);
    };
    return coalesce ? coalesce(coalescingKey(requested, caller), run) : run();
  }
  return inTransaction(db, { principal, rollback, settings }, async (query) => {
    const row = await queryRow(query, requested, prepared, settings, bounds);
    checkCount(requested, prepared, row);
    // Only a read lacks the reply settings, because it does not select them. The pre-request function may have set them.
    if (settings.preRequest === null || row.headers !== undefined) return row;
    const reply = (await query<Pick<ReplyRow, 'status' | 'headers'>>(`select ${REPLY_SETTINGS}`)).rows[0];
    return { ...row, ...reply };
  });
}

/** Everything except the plan that decides what a coalesced read returns. */
const coalescingKey = ({ read, preferences }: ParsedRequest, { claimsJson }: Caller): string =>
  `${preferences.timezone ?? ''}\n${claimsJson}\n${read.valuesText}`;

/** A nested list counts once for each list around it, and `BOUNDS` lets guests and users nest at most four levels. */
const PARTS_IN_WHOLE = 5;

/** The size limits of an answer to this caller. */
function answerBounds(caller: Caller, { answerBytes }: RestConfig): AnswerBounds {
  const of = callerClass(caller.role);
  return { bytes: answerBytes[of], partBytes: answerBytes[of] * PARTS_IN_WHOLE, partRows: BOUNDS[of].rows };
}

/** Runs the statement and returns its row, with the planner's estimate where it was requested. */
async function queryRow(
  query: Query,
  requested: ParsedRequest,
  prepared: Prepared,
  settings: RestConfig,
  bounds: AnswerBounds,
): Promise<ReplyRow> {
  const { statement, estimate } = prepared;
  if (!statement) return NOTHING;
  const values = bindValues(statement.binders, requested.read.values, getBody(requested, prepared), bounds);
  const row = (await query<ReplyRow>(statement.text, values)).rows[0] ?? NOTHING;
  if (prepared.put && row.count !== 1) throw restErrors.putKey();
  if (!estimate || (row.total !== null && row.total <= settings.maxRows)) return row;
  const counted = await query<Estimate>(
    estimate.text,
    bindValues(estimate.binders, requested.read.values, null, bounds),
  );
  return { ...row, total: counted.rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? row.total };
}

type Estimate = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] };

const getBody = (requested: ParsedRequest, prepared: Prepared): string | Uint8Array | null =>
  (prepared.bodyAs === 'list' ? requested.body?.listText : requested.body?.raw) ?? null;

/** Returns the query plan of a statement, as text or JSON; with `analyze` the statement also runs. */
export async function explain(
  db: Database,
  form: PlanForm,
  requested: ParsedRequest,
  prepared: Prepared,
  caller: Caller,
  { settings, roles }: CachedSchema,
): Promise<string> {
  const { statement } = prepared;
  if (!statement) return form.json ? '[]' : '';
  const text = `explain (${[...form.options, `format ${form.json ? 'json' : 'text'}`].join(', ')}) ${statement.text}`;
  const values = bindValues(
    statement.binders,
    requested.read.values,
    getBody(requested, prepared),
    answerBounds(caller, settings),
  );
  const principal = toPrincipal(requested, prepared, caller, { roles, shared: false });
  const session = { principal, rollback: isUndone(settings, requested), settings };
  const lines = await inTransaction(db, session, async (query) => {
    const { rows } = await query<{ 'QUERY PLAN': unknown }>(text, values);
    return rows.map((row) => row['QUERY PLAN']);
  });
  return form.json ? JSON.stringify(lines[0]) : lines.join('\n');
}

/** Quotes a function's name `schema.function` from the settings. */
const quoteName = (name: string): string => name.split('.').map(quote).join('.');

/** Whether the request's changes are rolled back, by the setting or by a `tx` preference that the setting allows. */
export function isUndone({ txEnd }: RestConfig, { preferences: { tx } }: Pick<ParsedRequest, 'preferences'>): boolean {
  if (txEnd === 'commit' || txEnd === 'rollback') return txEnd === 'rollback';
  return tx === null ? txEnd === 'rollback-allow-override' : tx === 'rollback';
}

/** Runs `work` as the caller, after the pre-request function. */
export async function inTransaction<T>(
  db: Database,
  session: { readonly principal: Principal; readonly rollback: boolean; readonly settings: RestConfig },
  work: (query: Query) => Promise<T>,
): Promise<T> {
  const { principal, rollback, settings } = session;
  return withRollback<T>(
    (transaction) => db.transactionAs(principal, transaction),
    async ({ query }, rollBack) => {
      if (settings.preRequest !== null) await query(`select ${quoteName(settings.preRequest)}()`);
      const answer = await work(query);
      if (rollback) throw rollBack(answer);
      return answer;
    },
  );
}

/** Whether the statement must be rolled back when it affects too many rows; reads and single inserts never do. */
function limitsCount(requested: ParsedRequest, prepared: Prepared): boolean {
  if (requested.method === 'GET' || requested.method === 'HEAD') return false;
  if (requested.preferences.maxAffected !== null) return true;
  const oneNew =
    requested.method === 'POST' && requested.body?.count === 1 && requested.preferences.resolution === null;
  return requested.form.single && prepared.shows === 'rows' && !oneNew;
}

function checkCount(requested: ParsedRequest, prepared: Prepared, row: ReplyRow): void {
  const most = requested.preferences.maxAffected;
  const changed = Math.max(row.count, row.total ?? 0);
  if (prepared.put && row.count !== 1) throw restErrors.putKey();
  if (most !== null && requested.method !== 'GET' && requested.method !== 'HEAD' && changed > most)
    throw restErrors.maxAffected(changed);
  if (requested.form.single && prepared.shows === 'rows' && row.count !== 1) throw restErrors.notSingle(row.count);
}

/** `shared`: other callers may receive the answer, so nothing that distinguishes this request from theirs is set. */
function toPrincipal(
  requested: ParsedRequest,
  prepared: Prepared,
  caller: Caller,
  { roles, shared }: { roles: RoleSettings; shared: boolean },
): Principal {
  return {
    role: caller.role,
    claims: caller.claimsJson,
    caller: callerKey(caller),
    settings: {
      ...roles.get(caller.role),
      ...prepared.settings,
      'request.method': requested.method,
      'request.path': requested.path,
      ...(shared ? {} : { 'request.headers': requested.headersJson, 'request.ip': caller.ip }),
      search_path: prepared.searchPath,
      ...(requested.preferences.timezone === null ? {} : { timezone: requested.preferences.timezone }),
      // Makes sure that a read changes nothing, whichever functions a view or policy calls.
      ...(prepared.readOnly ? { transaction_read_only: 'on' } : {}),
    },
  };
}
