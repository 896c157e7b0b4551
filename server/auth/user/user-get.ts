import { toUser } from '../accounts/user-object.ts';
import { createUserReader } from '../accounts/user-reader.ts';
import { refuse } from '../core/errors.ts';
import { type Call, requireUser } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/** Creates `GET /user`: the stored state of the signed-in user. Concurrent calls share one query. */
export function createUserGet(context: AuthContext): (c: Call) => Promise<Response> {
  const readUser = createUserReader(context.db);
  return async (c) => {
    const { userId } = await requireUser(context, c);
    const user = await readUser(userId);
    if (!user) throw refuse.noSession();
    return c.json(toUser(user));
  };
}
