import { Hono } from 'hono';
import { hasBody, isJson } from '#server/http/bodies/bodies.ts';
import type { Env } from '#server/http/caller.ts';
import { classifyError } from '#server/http/classify-error.ts';
import { addAdminRoutes } from './admin/routes.ts';
import { requireCaptcha } from './core/captcha.ts';
import type { AuthContext } from './core/context.ts';
import { AuthRefusal, refuse } from './core/errors.ts';
import { type Call, checkBody } from './core/request.ts';
import { addExternalRoutes } from './external/routes.ts';
import { addFactorRoutes } from './factors/routes.ts';
import { addDisabledRoutes, addInfoRoutes } from './info/routes.ts';
import { addPasskeyRoutes } from './passkeys/routes.ts';
import { signUp } from './signup/sign-up.ts';
import { addSsoRoutes } from './sso/routes.ts';
import { addTokenRoute } from './token/routes.ts';
import { addUndoRoutes } from './undo/routes.ts';
import { addUserRoutes } from './user/routes.ts';
import { addVerifyRoutes } from './verify/routes.ts';

/** Without this header, supabase-js does not read an error's code from `code`. */
const API_VERSION = { 'x-supabase-api-version': '2024-01-01', 'cache-control': 'no-store' } as const;

/** Paths to which identity providers post a form (SAML bindings, section 3.5; OpenID Connect form_post). */
const FORM_PATHS = /\/(?:callback|sso\/saml\/acs)\/?$/;

/** Calls that need no session and that begin a sign-up, a sign-in or a message. They require a captcha. */
const CAPTCHA_PATHS = [
  '/signup',
  '/token',
  '/otp',
  '/magiclink',
  '/recover',
  '/resend',
  '/sso',
  '/passkeys/authentication/options',
];

/** Creates the router of `/auth/v1`, compatible with supabase-js. Every answer is JSON; errors are `{code, message}`. */
export function createAuthRouter(context: AuthContext): Hono<Env> {
  const router = new Hono<Env>();
  router.use(async (c, next) => {
    setApiHeaders(c);
    // Most calls here come without a session, so the IP address identifies the caller.
    const wait = context.db.suspension(`ip:${c.var.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') await requireJson(c);
    await next();
  });
  for (const path of CAPTCHA_PATHS) router.use(path, (c, next) => requireCaptcha(context, c, next));
  router.post('/signup', (c) => signUp(context, c));
  addTokenRoute(router, context);
  addVerifyRoutes(router, context);
  addUserRoutes(router, context);
  addUndoRoutes(router, context);
  addInfoRoutes(router, context);
  addAdminRoutes(router, context);
  addFactorRoutes(router, context);
  addPasskeyRoutes(router, context);
  addExternalRoutes(router, context);
  addSsoRoutes(router, context);
  addDisabledRoutes(router, context);
  // A `notFound` handler would not run, because the router is mounted in another app.
  router.all('*', (c) => c.json({ code: 'not_found', message: 'Not found' }, 404));
  router.onError(answerError);
  return router;
}

/**
 * Reads the body and refuses it unless it is JSON. A page of another site can make a browser send a form or plain text without a preflight,
 * and so create accounts or send mails from the visitor's IP address. The body is read even if no handler needs it, because the server
 * closes a connection whose body is unread, and the client's next request on that connection would fail.
 */
async function requireJson(c: Call): Promise<void> {
  const { headers } = c.req.raw;
  if (hasBody(headers) && !isJson(headers) && !FORM_PATHS.test(c.req.path)) throw refuse.notJson();
  await c.req.arrayBuffer().catch(() => {
    throw refuse.validation('The request body could not be read');
  });
  if (isJson(headers)) await checkBody(c);
}

function answerError(error: Error, c: Call): Response {
  setApiHeaders(c);
  const refusal = toRefusal(error);
  if (refusal) {
    if (refusal.retryAfter !== null) c.header('retry-after', String(refusal.retryAfter));
    return c.json({ ...refusal.details, code: refusal.code, message: refusal.message }, refusal.status);
  }
  c.var.log.error({ err: error, path: c.req.path }, 'an auth request failed');
  const message = `Something went wrong on our side. Request ${c.var.requestId}.`;
  return c.json({ code: 'unexpected_failure', message }, 500);
}

/** Returns the refusal to send for an error, or null for an unexpected error. */
function toRefusal(error: Error): AuthRefusal | null {
  if (error instanceof AuthRefusal) return error;
  const found = classifyError(error);
  switch (found.kind) {
    case 'suspended':
      return refuse.rate(found.retryAfter);
    case 'busy':
      return refuse.busy(found.retryAfter);
    case 'token': {
      const { code, message } = found.error;
      return code === 'no_api_key' ? refuse.noBearer() : new AuthRefusal(403, code, message);
    }
    // The middleware before this router reads bodies and refuses the invalid ones.
    case 'body':
    case 'other':
      return null;
  }
}

function setApiHeaders(c: Call): void {
  for (const [name, value] of Object.entries(API_VERSION)) c.header(name, value);
}
