import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Handler, readPerson } from '../core/request.ts';
import { toUser } from '../accounts/users.ts';
import { createUserReader } from '../accounts/user-reader.ts';

/** `GET /user`: the signed-in user as stored now. */
export function createUserGet({ db, readCaller }: AuthContext): Handler {
  const readUser = createUserReader(db);
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const user = await readUser(person.userId);
    if (!user) throw refuse.noSession();
    return c.json(toUser(user));
  };
}
