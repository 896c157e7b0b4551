import type { Hono } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal } from '../core/errors.ts';
import { passkeySignInOptions, signInWithPasskey } from './authentication.ts';
import { deletePasskey, deleteUserPasskey, listPasskeys, listUserPasskeys, renamePasskey } from './manage-passkeys.ts';
import { passkeyOptions, registerPasskey } from './registration.ts';

export function addPasskeyRoutes(router: Hono<Env>, context: AuthContext): void {
  if (!context.config.passkeys.enabled)
    router.on(['GET', 'POST', 'PATCH', 'DELETE'], ['/passkeys', '/passkeys/*'], () => {
      throw new AuthRefusal(404, 'passkey_disabled', 'Passkeys are disabled');
    });
  router.post('/passkeys/registration/options', (c) => passkeyOptions(context, c));
  router.post('/passkeys/registration/verify', (c) => registerPasskey(context, c));
  router.post('/passkeys/authentication/options', (c) => passkeySignInOptions(context, c));
  router.post('/passkeys/authentication/verify', (c) => signInWithPasskey(context, c));
  router.get('/passkeys', (c) => listPasskeys(context, c));
  router.patch('/passkeys/:passkey', (c) => renamePasskey(context, c));
  router.delete('/passkeys/:passkey', (c) => deletePasskey(context, c));
  router.get('/admin/users/:user/passkeys', (c) => listUserPasskeys(context, c));
  router.delete('/admin/users/:user/passkeys/:passkey', (c) => deleteUserPasskey(context, c));
}
