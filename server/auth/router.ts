import { type Context, Hono } from 'hono';
import { hasBody, isJson } from '#server/http/bodies.ts';
import { type Env, TokenRefused } from '#server/http/caller.ts';
import { CallerSuspended } from '#server/http/suspension.ts';
import { addAdmin } from './admin/routes.ts';
import type { AuthContext } from './core/context.ts';
import { AuthRefusal, refuse } from './core/errors.ts';
import { createHealth } from './about/health.ts';
import { createJwks } from './about/jwks.ts';
import { createLogout } from './sessions/logout.ts';
import { createRecover } from './verify/recover.ts';
import { createOtp } from './verify/otp.ts';
import { createReauthenticate } from './verify/reauthenticate.ts';
import { createResend } from './verify/resend.ts';
import { createSessionEnd, createSessionList } from './user/session-list.ts';
import { captchaGate } from './verify/captcha-gate.ts';
import { createSettings } from './about/settings.ts';
import { createSignUp } from './signup/signup.ts';
import { addFactors } from './factors/routes.ts';
import { addExternal } from './external/routes.ts';
import { addPasskeys } from './passkeys/routes.ts';
import { addSso } from './sso/routes.ts';
import { addSwitchedOff } from './about/switched-off.ts';
import { createToken } from './token/token.ts';
import { createUserGet } from './user/user-get.ts';
import { createUserUpdate } from './user/user-update.ts';
import { createVerifyGet } from './verify/verify-get.ts';
import { createVerify } from './verify/verify.ts';

/** supabase-js reads the code of an error from `code` only with this header. */
const API_VERSION = { 'x-supabase-api-version': '2024-01-01', 'cache-control': 'no-store' } as const;

/** Identity providers post a form to these (SAML bindings, section 3.5; OpenID Connect form_post). */
const TAKES_FORMS = /\/(?:callback|sso\/saml\/acs)\/?$/;

/**
 * Reads the body and refuses any that is not JSON. A page of another site can make a browser send a form or plain text without a
 * preflight, and so create accounts or mails from the visitor's address. Reads it even when no handler needs it: with an unread body the
 * server closes the connection, under the client's next request.
 */
async function readJsonOnly(c: Context<Env>): Promise<void> {
  const { headers } = c.req.raw;
  if (hasBody(headers) && !isJson(headers) && !TAKES_FORMS.test(c.req.path)) throw refuse.notJson();
  await c.req.text().catch(() => {
    throw refuse.validation('The request body could not be read');
  });
}

/** Creates the router of `/auth/v1`, compatible with supabase-js. Every answer is JSON; errors are `{code, message}`. */
export function createAuthRouter(context: AuthContext): Hono<Env> {
  const router = new Hono<Env>();
  router.use(async (c, next) => {
    for (const [name, value] of Object.entries(API_VERSION)) c.header(name, value);
    // Most calls here come without a session, so the address identifies the caller.
    const wait = context.db.suspension(`ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') await readJsonOnly(c);
    await next();
  });

  for (const path of [
    '/signup',
    '/token',
    '/otp',
    '/magiclink',
    '/recover',
    '/resend',
    '/sso',
    '/passkeys/authentication/options',
  ])
    router.use(path, captchaGate(context));
  router.post('/signup', createSignUp(context));
  router.post('/token', createToken(context));
  router.post('/verify', createVerify(context));
  router.get('/verify', createVerifyGet(context));
  router.post('/otp', createOtp(context));
  router.post('/magiclink', createOtp(context));
  router.post('/resend', createResend(context));
  router.post('/recover', createRecover(context));
  router.get('/user', createUserGet(context));
  router.put('/user', createUserUpdate(context));
  router.get('/user/sessions', createSessionList(context));
  router.delete('/user/sessions/:id', createSessionEnd(context));
  router.get('/reauthenticate', createReauthenticate(context));
  router.post('/logout', createLogout(context));
  router.get('/.well-known/jwks.json', createJwks(context));
  router.get('/settings', createSettings(context));
  router.get('/health', createHealth());
  addAdmin(router, context);
  addFactors(router, context);
  addPasskeys(router, context);
  addExternal(router, context);
  addSso(router, context);
  addSwitchedOff(router, context);

  // Not `notFound`: that handler does not run when the router is mounted in another app.
  router.all('*', (c) => c.json({ code: 'not_found', message: 'There is nothing at this address' }, 404));
  router.onError((thrown, c) => {
    const error = thrown instanceof CallerSuspended ? refuse.rate(thrown.retryAfter) : thrown;
    for (const [name, value] of Object.entries(API_VERSION)) c.header(name, value);
    if (error instanceof TokenRefused) {
      if (error.code === 'no_api_key')
        return c.json({ code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' }, 401);
      return c.json({ code: error.code, message: error.message }, 403);
    }
    if (error instanceof AuthRefusal) {
      if (error.retryAfter !== null) c.header('retry-after', String(error.retryAfter));
      return c.json({ ...error.details, code: error.code, message: error.message }, error.status);
    }
    c.var.log.error({ err: error, path: c.req.path }, 'an auth request failed');
    return c.json(
      { code: 'unexpected_failure', message: `Something went wrong on our side. Request ${c.var.requestId}.` },
      500,
    );
  });
  return router;
}
