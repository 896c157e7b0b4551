import { z } from 'zod';
import { type Call, readBody } from '../core/request.ts';
import { type RefreshContext, refreshSession } from '../sessions/refresh.ts';

const schema = z.object({ refresh_token: z.string().max(200) });

/** `POST /token?grant_type=refresh_token`. */
export async function refresh(context: RefreshContext, c: Call): Promise<Response> {
  const body = await readBody(c, schema);
  return c.json(await refreshSession(context, body.refresh_token, c.get('ip')));
}
