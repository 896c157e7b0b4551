import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import type { SignOutScope } from './sessions.ts';

const SCOPES: readonly string[] = ['global', 'local', 'others'] satisfies SignOutScope[];
const isScope = (text: string): text is SignOutScope => SCOPES.includes(text);

/** `POST /logout?scope=global|local|others`. Access tokens of the ended sessions are refused here at once, elsewhere within a second. */
export function createLogout({ db, readCaller, sessions }: AuthContext): Handler {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const scope = c.req.query('scope') ?? 'global';
    if (!isScope(scope)) throw refuse.validation(`Unsupported logout scope "${scope.slice(0, 20)}"`);
    sessions.forget(await db.transaction((tx) => sessions.end(tx, person, scope, c.var.ip)));
    return c.body(null, 204);
  };
}
