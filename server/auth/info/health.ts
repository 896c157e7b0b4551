import type { Call } from '../core/request.ts';

/** `GET /health`. */
export function health(c: Call): Response {
  return c.json({ name: 'auth', version: '1', description: 'Accounts and sessions' });
}
