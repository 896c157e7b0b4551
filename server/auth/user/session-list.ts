import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { type Operation, readPerson } from '../core/request.ts';
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

/** `GET /user/sessions`: where somebody is signed in, the last used first. Ours: hosted Supabase has no such list. */
export function createSessionList({ db, readCaller }: AuthContext): Operation {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const { rows } = await db.query<Listed>(
      `select id, created_at, refreshed_at, user_agent, ip, aal from auth.sessions where user_id = $1::uuid order by refreshed_at desc limit 100`,
      [person.userId],
    );
    return c.json({ sessions: rows.map((row) => ({ ...row, current: row.id === person.sessionId })) });
  };
}

/** `DELETE /user/sessions/{id}`: ends one of one's own sessions, at every door within a second (promises G23). */
export function createSessionEnd({ clock, db, readCaller, sessions }: AuthContext): Operation {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const id = c.req.param('id') ?? '';
    const gone =
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
    if (!gone) throw new AuthRefusal(404, 'session_not_found', 'There is no such session');
    sessions.forget([id]);
    return c.json({});
  };
}
