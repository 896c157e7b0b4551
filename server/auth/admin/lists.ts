import { toUser } from '../accounts/user-object.ts';
import { listUsers } from '../accounts/users.ts';
import { refuse } from '../core/errors.ts';
import { type Call, requireServiceRole } from '../core/request.ts';
import { readPaging, setPageHeaders } from './paging.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /admin/users?page&per_page`: accounts, newest first. */
export async function listAccounts(context: AuthContext, c: Call): Promise<Response> {
  const { config, db } = context;
  await requireServiceRole(context, c);
  const { page, perPage } = readPaging(c);
  const { users, total } = await listUsers(db, page, perPage);
  setPageHeaders(c, `${config.apiUrl}/auth/v1/admin/users`, { page, perPage, total });
  return c.json({ users: users.map(toUser), aud: 'authenticated' });
}

type Entry = { id: string; payload: Record<string, unknown>; ip_address: string; created_at: Date; total: number };

/** `GET /admin/audit?page&per_page&query=action:login|author:{id}`: the audit log, newest first. */
export async function listAuditLog(context: AuthContext, c: Call): Promise<Response> {
  const { config, db } = context;
  await requireServiceRole(context, c);
  const { page, perPage } = readPaging(c);
  const query = c.req.query('query') ?? '';
  const filter = /^(action|author):(.{1,100})$/.exec(query);
  if (query !== '' && !filter) throw refuse.validation('query must be action:{name} or author:{id}');
  const [, field, term] = filter ?? [];
  const { rows } = await db.query<Entry>(
    `select id, payload, ip_address, created_at, (count(*) over ())::int as total from auth.audit_log_entries
     where ($1::text is null or payload ->> $1 = $2) order by created_at desc, id limit $3::int offset $4::bigint`,
    [field === 'author' ? 'actor_id' : (field ?? null), term ?? null, perPage, (page - 1) * perPage],
  );
  setPageHeaders(c, `${config.apiUrl}/auth/v1/admin/audit`, { page, perPage, total: rows[0]?.total ?? 0 });
  return c.json(rows.map(({ total: _total, ...entry }) => entry));
}
