import { z } from 'zod';
import { type Call, readBody } from '../core/request.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { createRotate } from '../sessions/rotations.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ refresh_token: z.string().max(200) });

/** Returns the handler of `POST /token?grant_type=refresh_token`. Refreshes that arrive together are rotated in one statement. */
export function createRefresh(context: AuthContext): (c: Call) => Promise<Response> {
  const refreshing = { ...context, rotate: createRotate(context) };
  return async (c) => {
    const body = await readBody(c, schema);
    return c.json(await refreshSession(refreshing, body.refresh_token, c.get('ip')));
  };
}
