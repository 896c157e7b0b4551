import type { Queryable } from '#server/db/database.ts';
import type { Lifetimes } from '../core/config.ts';

/** Whether a session is alive: its user is neither deleted nor banned, and it has not expired. */
export async function isSessionAlive(db: Queryable, config: Lifetimes, sessionId: string, now: Date): Promise<boolean> {
  const since = (seconds: number | null): Date =>
    seconds === null ? new Date(0) : new Date(now.getTime() - seconds * 1000);
  const row = await db.queryRow(
    `select 1 from auth.sessions s join auth.users u on u.id = s.user_id
     where s.id = $1::uuid and u.deleted_at is null and (u.banned_until is null or u.banned_until < $2::timestamptz)
       and s.created_at >= $3::timestamptz and s.refreshed_at >= $4::timestamptz`,
    [sessionId, now, since(config.sessionSeconds), since(config.inactivitySeconds)],
  );
  return row !== null;
}
