import type { Database, Principal, Transaction } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import { quote } from './catalogue/catalogue.ts';
import { restErrors } from './errors.ts';
import type { Knowledge } from './known.ts';
import type { Asked } from './parse/asked.ts';
import type { PlanForm } from './parse/form.ts';
import type { Prepared } from './prepare.ts';
import { bindValues } from './print/printer.ts';
import { type ReplyRow, SAID } from './print/statements.ts';
import type { RestSettings, RoleSettings } from './settings.ts';

export type Run = (asked: Asked, prepared: Prepared, caller: Caller, knowledge: Knowledge) => Promise<ReplyRow>;

const NOTHING: ReplyRow = { body: '[]', count: 0, total: 0 };

/** Runs a prepared statement as the caller: role, claims, request settings and query in one flight. */
export function createRun(db: Database): Run {
  return async (asked, prepared, caller, { settings, roles }) => {
    const { statement } = prepared;
    if (!statement) return NOTHING;
    const body = (prepared.bodyAs === 'list' ? asked.body?.listText : asked.body?.raw) ?? null;
    const values = bindValues(statement.binders, asked.read.values, body);
    const principal = principalOf(asked, prepared, caller, roles);
    const rollback = isUndone(settings, asked);
    if (settings.preRequest !== null || promisesCount(asked, prepared)) {
      return inTransaction(db, principal, rollback, async (tx) => {
        if (settings.preRequest !== null) await tx.query(`select ${nameOf(settings.preRequest)}()`);
        const row = (await tx.one<ReplyRow>(statement.text, values)) ?? NOTHING;
        checkCount(asked, prepared, row);
        // A plain read does not ask what was set for the reply, since nobody but this function can have set it.
        if (settings.preRequest === null || row.headers !== undefined) return row;
        return { ...row, ...(await tx.one<Pick<ReplyRow, 'status' | 'headers'>>(`select ${SAID}`)) };
      });
    }
    const { rows } = await db.as<ReplyRow>(principal, statement.text, values, { rollback });
    const row = rows[0] ?? NOTHING;
    if (prepared.put && row.count !== 1) throw restErrors.putKey();
    if (!prepared.estimate || (row.total !== null && row.total <= settings.maxRows)) return row;
    const { text, binders } = prepared.estimate;
    const estimated = await db.as<Estimate>(principal, text, bindValues(binders, asked.read.values, null));
    return { ...row, total: estimated.rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? row.total };
  };
}

type Estimate = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] };

/** What the planner thinks of a statement, as text or JSON; with `analyze` it is run as well. */
export async function explain(
  db: Database,
  form: PlanForm,
  ...[asked, prepared, caller, { settings, roles }]: Parameters<Run>
): Promise<string> {
  const { statement } = prepared;
  if (!statement) return form.json ? '[]' : '';
  const body = (prepared.bodyAs === 'list' ? asked.body?.listText : asked.body?.raw) ?? null;
  const text = `explain (${[...form.options, `format ${form.json ? 'json' : 'text'}`].join(', ')}) ${statement.text}`;
  const { rows } = await db.as<{ 'QUERY PLAN': unknown }>(
    principalOf(asked, prepared, caller, roles),
    text,
    bindValues(statement.binders, asked.read.values, body),
    { rollback: isUndone(settings, asked) },
  );
  const told = rows.map((row) => row['QUERY PLAN']);
  return form.json ? JSON.stringify(told[0]) : told.join('\n');
}

/** `schema.function`, as the operator wrote it. */
const nameOf = (name: string): string => name.split('.').map(quote).join('.');

/** Whether the request's changes are undone at its end, by setting or by the wish it is allowed. */
export function isUndone({ txEnd }: RestSettings, { preferences: { tx } }: Pick<Asked, 'preferences'>): boolean {
  if (txEnd === 'commit' || txEnd === 'rollback') return txEnd === 'rollback';
  return tx === null ? txEnd === 'rollback-allow-override' : tx === 'rollback';
}

class Undo extends Error {}

async function inTransaction(
  db: Database,
  principal: Principal,
  rollback: boolean,
  work: (tx: Transaction) => Promise<ReplyRow>,
): Promise<ReplyRow> {
  let row = NOTHING;
  try {
    await db.transactionAs(principal, async (tx) => {
      row = await work(tx);
      if (rollback) throw new Undo();
    });
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  return row;
}

/** Statements that may have to be undone: a read and a single new row change at most what they say. */
function promisesCount(asked: Asked, prepared: Prepared): boolean {
  if (asked.method === 'GET' || asked.method === 'HEAD') return false;
  if (asked.preferences.maxAffected !== null) return true;
  const oneNew = asked.method === 'POST' && asked.body?.count === 1 && asked.preferences.resolution === null;
  return asked.form.single && prepared.shows === 'rows' && !oneNew;
}

function checkCount(asked: Asked, prepared: Prepared, row: ReplyRow): void {
  const most = asked.preferences.maxAffected;
  const changed = Math.max(row.count, row.total ?? 0);
  if (prepared.put && row.count !== 1) throw restErrors.putKey();
  if (most !== null && asked.method !== 'GET' && asked.method !== 'HEAD' && changed > most)
    throw restErrors.maxAffected(changed);
  if (asked.form.single && prepared.shows === 'rows' && row.count !== 1) throw restErrors.notSingle(row.count);
}

function principalOf(asked: Asked, prepared: Prepared, caller: Caller, roles: RoleSettings): Principal {
  return {
    role: caller.role,
    claims: caller.claimsJson,
    settings: {
      ...roles.get(caller.role),
      ...prepared.settings,
      'request.method': asked.method,
      'request.path': asked.path,
      'request.headers': asked.headersJson,
      'request.ip': caller.ip,
      search_path: prepared.searchPath,
      ...(asked.preferences.timezone === null ? {} : { timezone: asked.preferences.timezone }),
      // What is asked for by reading changes nothing, whatever functions a view or policy calls.
      ...(prepared.readOnly ? { transaction_read_only: 'on' } : {}),
    },
  };
}
