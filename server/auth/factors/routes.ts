import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { createAdminFactorDelete, createAdminFactors } from './admin-factors.ts';
import { createChallenge } from './challenge.ts';
import { createEnrol } from './enrol.ts';
import { createUnenrol } from './unenrol.ts';
import { createVerifyFactor } from './verify-factor.ts';

/** The addresses of second factors. */
export function addFactors(router: Hono<Env>, parts: AuthContext): void {
  router.post('/factors', createEnrol(parts));
  router.post('/factors/:factor/challenge', createChallenge(parts));
  router.post('/factors/:factor/verify', createVerifyFactor(parts));
  router.delete('/factors/:factor', createUnenrol(parts));
  router.get('/admin/users/:user/factors', createAdminFactors(parts));
  router.delete('/admin/users/:user/factors/:factor', createAdminFactorDelete(parts));
}
