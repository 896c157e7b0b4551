import type { Database } from '#server/db/database.ts';

/** Reads the audit log entries about a row, oldest first. */
export async function readAudit(db: Database, resourceId: string) {
  const { rows } = await db.query<{ actor: string | null; action: string; details: unknown }>(
    'select actor, action, details from public.audit_logs where resource_id = $1 order by created_at, id',
    [resourceId],
  );
  return rows;
}

/** Reads the queued jobs of a kind, in the order in which they are due. */
export async function readJobs<Payload = unknown>(db: Database, kind: string) {
  const { rows } = await db.query<{ id: string; subjectId: string; payload: Payload; due: Date }>(
    'select id, subject_id as "subjectId", payload, due_at as due from private.outbox where kind = $1 order by due_at, subject_id, id',
    [kind],
  );
  return rows;
}

/** Reads the email address of an account. */
export async function readEmail(db: Database, userId: string): Promise<string> {
  const row = await db.queryRow<{ email: string }>('select email from auth.users where id = $1::uuid', [userId]);
  if (row === null) throw new Error(`there is no account ${userId}`);
  return row.email;
}
