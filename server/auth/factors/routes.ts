import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAdminFactorDelete, createAdminFactors } from './admin-factors.ts';
import { createChallenge } from './challenge.ts';
import { createEnrol } from './enrol.ts';
import { createUnenrol } from './unenrol.ts';
import { createVerifyFactor } from './verify-factor.ts';

/** Adds the routes of second factors. */
export function addFactors(router: Hono<Env>, context: AuthContext): void {
  router.post('/factors', createEnrol(context));
  router.post('/factors/:factor/challenge', createChallenge(context));
  router.post('/factors/:factor/verify', createVerifyFactor(context));
  router.delete('/factors/:factor', createUnenrol(context));
  router.get('/admin/users/:user/factors', createAdminFactors(context));
  router.delete('/admin/users/:user/factors/:factor', createAdminFactorDelete(context));
}
