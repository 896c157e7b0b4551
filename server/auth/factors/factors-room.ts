import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { createAdminFactorDelete, createAdminFactors } from './admin-factors.ts';
import { createChallenge } from './challenge.ts';
import { createEnrol } from './enrol.ts';
import { createUnenrol } from './unenrol.ts';
import { createVerifyFactor } from './verify-factor.ts';

/** The addresses of second factors. */
export function addFactors(door: Hono<Env>, parts: AuthParts): void {
  door.post('/factors', createEnrol(parts));
  door.post('/factors/:factor/challenge', createChallenge(parts));
  door.post('/factors/:factor/verify', createVerifyFactor(parts));
  door.delete('/factors/:factor', createUnenrol(parts));
  door.get('/admin/users/:user/factors', createAdminFactors(parts));
  door.delete('/admin/users/:user/factors/:factor', createAdminFactorDelete(parts));
}
