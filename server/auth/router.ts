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

/** With this header the client reads the code of an error from `code` (wire.md 2). */
const API_VERSION = { 'x-supabase-api-version': '2024-01-01', 'cache-control': 'no-store' } as const;

/** Identity providers send browsers back to these with a form (SAML bindings 3.5; OpenID Connect's form_post). */
const TAKES_FORMS = /\/(?:callback|sso\/saml\/acs)\/?$/;

/**
 * Reads the body and refuses any that is not JSON: a page of another site can make a browser send a form or plain text without asking
 * first, and so make accounts and mails in its visitor's name.
 */
async function readJsonOnly(c: Context<Env>): Promise<void> {
  const { headers } = c.req.raw;
  if (hasBody(headers) && !isJson(headers) && !TAKES_FORMS.test(c.req.path)) throw refuse.notJson();
  await c.req.text().catch(() => {
    throw refuse.validation('The request body could not be read');
  });
}

/** `/auth/v1` as the real client speaks it. Every answer is JSON, every no `{code, message}`. */
export function createAuthRouter(parts: AuthContext): Hono<Env> {
  const router = new Hono<Env>();
  router.use(async (c, next) => {
    for (const [name, value] of Object.entries(API_VERSION)) c.header(name, value);
    // Read even where nobody looks at it: a body left lying makes the server close the line, under the client's next request.
    // Most calls here are made without a session: then the address is who calls.
    const wait = parts.db.suspension(`ip:${c.var.ip}`);
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
    router.use(path, captchaGate(parts));
  router.post('/signup', createSignUp(parts));
  router.post('/token', createToken(parts));
  router.post('/verify', createVerify(parts));
  router.get('/verify', createVerifyGet(parts));
  router.post('/otp', createOtp(parts));
  router.post('/magiclink', createOtp(parts));
  router.post('/resend', createResend(parts));
  router.post('/recover', createRecover(parts));
  router.get('/user', createUserGet(parts));
  router.put('/user', createUserUpdate(parts));
  router.get('/user/sessions', createSessionList(parts));
  router.delete('/user/sessions/:id', createSessionEnd(parts));
  router.get('/reauthenticate', createReauthenticate(parts));
  router.post('/logout', createLogout(parts));
  router.get('/.well-known/jwks.json', createJwks(parts));
  router.get('/settings', createSettings(parts));
  router.get('/health', createHealth());
  addAdmin(router, parts);
  addFactors(router, parts);
  addPasskeys(router, parts);
  addExternal(router, parts);
  addSso(router, parts);
  addSwitchedOff(router, parts);

  // Not `notFound`: where one door is mounted in another app, only a route of its own answers.
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
    c.var.log.error({ err: error, path: c.req.path }, 'an account request failed');
    return c.json(
      { code: 'unexpected_failure', message: `Something went wrong on our side. Request ${c.var.requestId}.` },
      500,
    );
  });
  return router;
}
