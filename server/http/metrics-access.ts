import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { isLocal } from './address.ts';

/** Whether a request may read the metrics: from this machine itself, or with `token` as bearer. null: no token opens them. */
export function mayReadMetrics(c: Context, token: string | null): boolean {
  if (isLocal(c)) return true;
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return token !== null && bearer !== undefined && timingSafeEqual(digest(bearer), digest(token));
}

/** Equal length for the comparison in constant time, whatever was sent. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
