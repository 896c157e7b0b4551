import { AuthRefusal } from '../core/errors.ts';
import { type Call, readUuid } from '../core/request.ts';
import { type UserRow, userById } from './users.ts';
import type { AuthContext } from '../core/context.ts';

/** Reads the user in the path of an admin call (`:user`). Throws the API's 404 if the user does not exist. */
export async function readPathUser({ db }: AuthContext, c: Call): Promise<UserRow> {
  const id = readUuid(c.req.param('user'));
  if (id === null) throw new AuthRefusal(404, 'validation_failed', 'user_id must be an UUID');
  const user = await userById(db, id);
  if (!user) throw new AuthRefusal(404, 'user_not_found', 'User not found');
  return user;
}
