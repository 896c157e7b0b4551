import type { Operation } from '../core/request.ts';

/** `GET /health`. */
export function createHealth(): Operation {
  return (c) => Promise.resolve(c.json({ name: 'auth', version: '1', description: 'Accounts and sessions' }));
}
