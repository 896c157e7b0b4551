import type { Database, Principal } from '#server/db/database.ts';
import type { Caller } from '#server/http/caller.ts';
import type { Asked } from './parse/asked.ts';
import { restErrors } from './errors.ts';
import type { Prepared } from './prepare.ts';
import { bindValues } from './print/printer.ts';
import type { ReplyRow } from './print/statements.ts';

export type RunOptions = { readonly maxRows: number; readonly rollback: boolean };
export type Run = (asked: Asked, prepared: Prepared, caller: Caller) => Promise<ReplyRow>;

const NOTHING: ReplyRow = { body: '[]', count: 0, total: 0 };

/** Runs a prepared statement as the caller: role, claims, request settings and query in one flight. */
export function createRun(db: Database, options: RunOptions): Run {
  return async (asked, prepared, caller) => {
    const { statement } = prepared;
    if (!statement) return NOTHING;
    const body = (prepared.bodyAs === 'list' ? asked.body?.listText : asked.body?.text) ?? null;
    const values = bindValues(statement.binders, asked.read.values, body);
    const principal = principalOf(asked, caller);
    const rollback = options.rollback && asked.preferences.rollback;
    if (promisesCount(asked, prepared)) {
      // A promise about how many rows change is kept by undoing the change.
      return db.transactionAs(principal, async (tx) => {
        const row = (await tx.one<ReplyRow>(statement.text, values)) ?? NOTHING;
        checkCount(asked, prepared, row);
        return row;
      });
    }
    const { rows } = await db.as<ReplyRow>(principal, statement.text, values, { rollback });
    const row = rows[0] ?? NOTHING;
    if (!prepared.estimate || (row.total !== null && row.total <= options.maxRows)) return row;
    const { text, binders } = prepared.estimate;
    const estimated = await db.as<Estimate>(principal, text, bindValues(binders, asked.read.values, null));
    return { ...row, total: estimated.rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? row.total };
  };
}

type Estimate = { readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Plan Rows': number } }] };

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
  if (most !== null && changed > most) throw restErrors.maxAffected(changed);
  if (asked.form.single && prepared.shows === 'rows' && row.count !== 1) throw restErrors.notSingle(row.count);
}

function principalOf(asked: Asked, caller: Caller): Principal {
  const reading = asked.method === 'GET' || asked.method === 'HEAD';
  return {
    role: caller.role,
    claims: caller.claimsJson,
    settings: {
      'request.method': asked.method,
      'request.path': asked.path,
      'request.headers': asked.headersJson,
      'request.ip': caller.ip,
      // What is asked for by reading changes nothing, whatever functions a view or policy calls.
      ...(reading ? { transaction_read_only: 'on' } : {}),
    },
  };
}
