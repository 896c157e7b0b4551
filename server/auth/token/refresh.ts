import { z } from 'zod';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import { type Handler, readBody } from '../core/request.ts';

const schema = z.object({ refresh_token: z.string().max(200) });

/** `POST /token?grant_type=refresh_token`. */
export function createTokenRefresh({ limits, sessions }: AuthContext): Handler {
  return async (c) => {
    const body = await readBody(c, schema);
    const wait = await limits(authLimits.refreshIp, `ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    return c.json(await sessions.refresh(body.refresh_token, c.var.ip));
  };
}
