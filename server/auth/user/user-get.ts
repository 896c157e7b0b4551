import type { AuthParts } from '../auth-parts.ts';
import { refuse } from '../errors.ts';
import { type Operation, readPerson } from '../request.ts';
import { toUser, userById } from '../accounts/users.ts';

/** `GET /user`: who the bearer is, as the database knows them now. */
export function createUserGet({ db, readCaller }: AuthParts): Operation {
  return async (c) => {
    const person = await readPerson(c, readCaller);
    const user = await userById(db, person.userId);
    if (!user) throw refuse.noSession();
    return c.json(toUser(user));
  };
}
