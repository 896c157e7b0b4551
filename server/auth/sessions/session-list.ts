import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Call, readUuid, requireUser } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

type ListedSession = {
  id: string;
  created_at: Date;
  refreshed_at: Date;
  user_agent: string | null;
  ip: string | null;
  aal: string;
};

/** `GET /user/sessions`: the user's sessions, last used first. Supabase Auth has no such call. */
export async function listOwnSessions(context: AuthContext, c: Call): Promise<Response> {
  const { userId, sessionId } = await requireUser(context, c);
  const { rows } = await context.db.query<ListedSession>(
    `select id, created_at, refreshed_at, user_agent, ip, aal from auth.sessions where user_id = $1::uuid order by refreshed_at desc limit 100`,
    [userId],
  );
  return c.json({ sessions: rows.map((row) => ({ ...row, current: row.id === sessionId })) });
}

/** `DELETE /user/sessions/{id}`: ends one of the user's own sessions. All APIs refuse its tokens within a second. */
export async function endOwnSession(context: AuthContext, c: Call): Promise<Response> {
  const { db, clock, sessions } = context;
  const { userId } = await requireUser(context, c);
  const id = readUuid(c.req.param('id'));
  if (id === null) throw sessionNotFound();
  await db.transaction(async (tx) => {
    const ended = await tx.queryRow(
      'delete from auth.sessions where id = $1::uuid and user_id = $2::uuid returning id',
      [id, userId],
    );
    if (!ended) throw sessionNotFound();
    const details = { session_id: id };
    await recordEvent(tx, { action: 'session_ended', actorId: userId, at: clock(), ip: c.var.ip, details });
  });
  sessions.forget([id]);
  return c.json({});
}

const sessionNotFound = (): AuthRefusal => new AuthRefusal(404, 'session_not_found', 'Session not found');
