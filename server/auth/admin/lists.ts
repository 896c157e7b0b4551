import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Handler, requireServiceRole } from '../core/request.ts';
import { listUsers, toUser } from '../accounts/users.ts';
import { readPaging, setPageHeaders } from './paging.ts';

/** `GET /admin/users?page&per_page`: accounts, newest first. */
export function createAdminUserList({ config, db, readCaller }: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, readCaller);
    const { page, perPage } = readPaging(c);
    const { users, total } = await listUsers(db, page, perPage);
    setPageHeaders(c, `${config.apiUrl}/auth/v1/admin/users`, { page, perPage, total });
    return c.json({ users: users.map(toUser), aud: 'authenticated' });
  };
}

type Entry = { id: string; payload: Record<string, unknown>; ip_address: string; created_at: Date; total: number };

/** `GET /admin/audit?page&per_page&query=action:login|author:{id}`: the audit log, newest first. */
export function createAdminAudit({ config, db, readCaller }: AuthContext): Handler {
  return async (c) => {
    await requireServiceRole(c, readCaller);
    const { page, perPage } = readPaging(c);
    const query = c.req.query('query') ?? '';
    const filter = /^(action|author):(.{1,100})$/.exec(query);
    if (query !== '' && !filter) throw refuse.validation('query is action:{name} or author:{id}');
    const [, column, term] = filter ?? [];
    const { rows } = await db.query<Entry>(
      `select id, payload, ip_address, created_at, (count(*) over ())::int as total from auth.audit_log_entries
       where ($1::text is null or payload ->> $1 = $2) order by created_at desc, id limit $3::int offset $4::bigint`,
      [column === 'author' ? 'actor_id' : (column ?? null), term ?? null, perPage, (page - 1) * perPage],
    );
    setPageHeaders(c, `${config.apiUrl}/auth/v1/admin/audit`, { page, perPage, total: rows[0]?.total ?? 0 });
    return c.json(rows.map(({ total: _total, ...entry }) => entry));
  };
}
