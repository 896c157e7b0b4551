import type { Handler } from '../core/request.ts';

/** `GET /health`. */
export function createHealth(): Handler {
  return (c) => Promise.resolve(c.json({ name: 'auth', version: '1', description: 'Accounts and sessions' }));
}
