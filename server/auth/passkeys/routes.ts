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

/** Adds the routes of passkeys. */
export function addPasskeys(router: Hono<Env>, context: AuthContext): void {
  if (!context.config.passkeys.enabled)
    router.on(['GET', 'POST', 'PATCH', 'DELETE'], ['/passkeys', '/passkeys/*'], () => {
      throw refuse.disabled(404, 'passkey_disabled', 'Passkeys are disabled');
    });
  router.post('/passkeys/registration/options', createPasskeyOptions(context));
  router.post('/passkeys/registration/verify', createPasskeyRegister(context));
  router.post('/passkeys/authentication/options', createSignInOptions(context));
  router.post('/passkeys/authentication/verify', createSignIn(context));
  router.get('/passkeys', createPasskeyList(context));
  router.patch('/passkeys/:passkey', createPasskeyRename(context));
  router.delete('/passkeys/:passkey', createPasskeyDelete(context));
  router.get('/admin/users/:user/passkeys', createAdminPasskeys(context));
  router.delete('/admin/users/:user/passkeys/:passkey', createAdminPasskeyDelete(context));
}
