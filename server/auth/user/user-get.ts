import { toUser } from '../accounts/user-object.ts';
import { createUserReader } from '../accounts/user-reader.ts';
import type { Needs } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Call, requireUser } from '../core/request.ts';

/** Creates `GET /user`: the signed-in user as stored now. Concurrent calls share one query. */
export function createUserGet(context: Needs<'db' | 'readCaller'>): (c: Call) => Promise<Response> {
  const readUser = createUserReader(context.db);
  return async (c) => {
    const { userId } = await requireUser(context, c);
    const user = await readUser(userId);
    if (!user) throw refuse.noSession();
    return c.json(toUser(user));
  };
}
