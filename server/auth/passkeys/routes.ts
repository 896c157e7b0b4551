import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
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
export function addPasskeys(router: Hono<Env>, parts: AuthContext): void {
  if (!parts.config.passkeys.enabled)
    router.on(['GET', 'POST', 'PATCH', 'DELETE'], ['/passkeys', '/passkeys/*'], () => {
      throw refuse.disabled(404, 'passkey_disabled', 'Passkeys are disabled');
    });
  router.post('/passkeys/registration/options', createPasskeyOptions(parts));
  router.post('/passkeys/registration/verify', createPasskeyRegister(parts));
  router.post('/passkeys/authentication/options', createSignInOptions(parts));
  router.post('/passkeys/authentication/verify', createSignIn(parts));
  router.get('/passkeys', createPasskeyList(parts));
  router.patch('/passkeys/:passkey', createPasskeyRename(parts));
  router.delete('/passkeys/:passkey', createPasskeyDelete(parts));
  router.get('/admin/users/:user/passkeys', createAdminPasskeys(parts));
  router.delete('/admin/users/:user/passkeys/:passkey', createAdminPasskeyDelete(parts));
}
