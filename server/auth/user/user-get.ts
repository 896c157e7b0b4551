import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Operation, readPerson } from '../core/request.ts';
import { toUser } from '../accounts/users.ts';
import { createUserReader } from '../accounts/user-reader.ts';

/** `GET /user`: who the bearer is, as the database knows them now. */
export function createUserGet({ db, readCaller }: AuthContext): Operation {
  const readUser = createUserReader(db);
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const user = await readUser(person.userId);
    if (!user) throw refuse.noSession();
    return c.json(toUser(user));
  };
}
