import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthParts } from '../auth-parts.ts';
import { refuse } from '../errors.ts';
import { createSignIn, createSignInOptions } from './authentication.ts';
import {
  createAdminPasskeyDelete,
  createAdminPasskeys,
  createPasskeyDelete,
  createPasskeyList,
  createPasskeyRename,
} from './own-passkeys.ts';
import { createPasskeyOptions, createPasskeyRegister } from './registration.ts';

/** The addresses of passkeys. */
export function addPasskeys(door: Hono<Env>, parts: AuthParts): void {
  if (!parts.config.passkeys.enabled)
    door.on(['GET', 'POST', 'PATCH', 'DELETE'], ['/passkeys', '/passkeys/*'], () => {
      throw refuse.disabled(404, 'passkey_disabled', 'Passkeys are disabled');
    });
  door.post('/passkeys/registration/options', createPasskeyOptions(parts));
  door.post('/passkeys/registration/verify', createPasskeyRegister(parts));
  door.post('/passkeys/authentication/options', createSignInOptions(parts));
  door.post('/passkeys/authentication/verify', createSignIn(parts));
  door.get('/passkeys', createPasskeyList(parts));
  door.patch('/passkeys/:passkey', createPasskeyRename(parts));
  door.delete('/passkeys/:passkey', createPasskeyDelete(parts));
  door.get('/admin/users/:user/passkeys', createAdminPasskeys(parts));
  door.delete('/admin/users/:user/passkeys/:passkey', createAdminPasskeyDelete(parts));
}
