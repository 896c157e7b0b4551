import type { Context } from 'hono';
import { equalInConstantTime } from '#server/crypto/constant-time.ts';
import { isLocal } from '../address.ts';

/**
 * Whether a request may read the metrics: it comes from this machine, or has `token` as bearer. If `token` is null, no token is accepted.
 */
export function mayReadMetrics(c: Context, token: string | null): boolean {
  if (isLocal(c)) return true;
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return token !== null && bearer !== undefined && equalInConstantTime(bearer, token);
}
