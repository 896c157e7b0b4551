import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { isLocal } from './address.ts';

/** Whether a request may read the metrics: it comes from this machine, or has `token` as bearer. null: no token is accepted. */
export function mayReadMetrics(c: Context, token: string | null): boolean {
  if (isLocal(c)) return true;
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return token !== null && bearer !== undefined && timingSafeEqual(digest(bearer), digest(token));
}

/** Hashes to equal length, so that the comparison takes constant time for any input. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
