import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { createAcs } from './acs.ts';
import { createMetadata } from './metadata.ts';
import { createSso } from './sso.ts';

/** The addresses of single sign-on. */
export function addSso(door: Hono<Env>, parts: AuthParts): void {
  door.post('/sso', createSso(parts));
  door.get('/sso/saml/metadata', createMetadata(parts));
  door.post('/sso/saml/acs', createAcs(parts));
}
