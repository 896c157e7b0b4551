import { z } from 'zod';
import type { Needs } from '../core/context.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody } from '../core/request.ts';
import { type RefreshContext, refreshSession } from '../sessions/refresh.ts';

const schema = z.object({ refresh_token: z.string().max(200) });

/** `POST /token?grant_type=refresh_token`. */
export async function refresh(context: RefreshContext & Needs<'limits'>, c: Call): Promise<Response> {
  const body = await readBody(c, schema);
  await takeLimit(context, authLimits.refreshIp, `ip:${c.var.ip}`);
  return c.json(await refreshSession(context, body.refresh_token, c.var.ip));
}
