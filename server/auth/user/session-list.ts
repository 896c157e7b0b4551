import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import { record } from '../core/audit-log.ts';

type Listed = {
  id: string;
  created_at: Date;
  refreshed_at: Date;
  user_agent: string | null;
  ip: string | null;
  aal: string;
};
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** `GET /user/sessions`: the user's sessions, last used first. Hosted Supabase has no such call. */
export function createSessionList({ db, readCaller }: AuthContext): Handler {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const { rows } = await db.query<Listed>(
      `select id, created_at, refreshed_at, user_agent, ip, aal from auth.sessions where user_id = $1::uuid order by refreshed_at desc limit 100`,
      [person.userId],
    );
    return c.json({ sessions: rows.map((row) => ({ ...row, current: row.id === person.sessionId })) });
  };
}

/** `DELETE /user/sessions/{id}`: ends one of the user's own sessions. All APIs refuse its tokens within a second. */
export function createSessionEnd({ clock, db, readCaller, sessions }: AuthContext): Handler {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const id = c.req.param('id') ?? '';
    const removed =
      UUID.test(id) &&
      (await db.transaction(async (tx) => {
        const row = await tx.one('delete from auth.sessions where id = $1::uuid and user_id = $2::uuid returning id', [
          id,
          person.userId,
        ]);
        if (row)
          await record(tx, {
            action: 'session_ended',
            actorId: person.userId,
            at: clock(),
            ip: c.var.ip,
            details: { session_id: id },
          });
        return row !== null;
      }));
    if (!removed) throw new AuthRefusal(404, 'session_not_found', 'There is no such session');
    sessions.forget([id]);
    return c.json({});
  };
}
