import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { deleteUserFactor, listUserFactors } from './admin-factors.ts';
import { createChallenge } from './challenge.ts';
import { enrolFactor } from './enrol.ts';
import { unenrolFactor } from './unenrol.ts';
import { verifyFactor } from './verify-factor.ts';

export function addFactorRoutes(router: Hono<Env>, context: AuthContext): void {
  router.post('/factors', (c) => enrolFactor(context, c));
  router.post('/factors/:factor/challenge', (c) => createChallenge(context, c));
  router.post('/factors/:factor/verify', (c) => verifyFactor(context, c));
  router.delete('/factors/:factor', (c) => unenrolFactor(context, c));
  router.get('/admin/users/:user/factors', (c) => listUserFactors(context, c));
  router.delete('/admin/users/:user/factors/:factor', (c) => deleteUserFactor(context, c));
}
