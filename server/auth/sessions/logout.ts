import { refuse } from '../core/errors.ts';
import { type Call, requireUser } from '../core/request.ts';
import { endSessions, type SignOutScope } from './end.ts';
import type { AuthContext } from '../core/context.ts';

const SCOPES: readonly string[] = ['global', 'local', 'others'] satisfies SignOutScope[];
const isScope = (text: string): text is SignOutScope => SCOPES.includes(text);

/**
 * `POST /logout?scope=global|local|others`. This process refuses the access tokens of the ended sessions immediately, other processes
 * within a second.
 */
export async function logOut(context: AuthContext, c: Call): Promise<Response> {
  const { db, sessions } = context;
  const caller = await requireUser(context, c);
  const scope = c.req.query('scope') ?? 'global';
  if (!isScope(scope)) throw refuse.validation(`Unsupported logout scope "${scope.slice(0, 20)}"`);
  sessions.forget(await db.transaction((tx) => endSessions(context, tx, caller, scope, c.var.ip)));
  return c.body(null, 204);
}
