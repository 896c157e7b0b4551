import type { Next } from 'hono';
import { AuthRefusal } from './errors.ts';
import { type Call, parseBody } from './request.ts';
import type { AuthContext } from './context.ts';

/** Grants that need no captcha, because they follow an earlier proof. */
const EXEMPT_GRANTS = ['refresh_token', 'pkce'];
const FAILED = 'captcha protection: request disallowed';

/** Requires a captcha unless the caller has the service key. Refuses requests while the captcha provider does not answer. */
export async function requireCaptcha(context: AuthContext, c: Call, next: Next): Promise<void> {
  const { captcha, readCaller } = context;
  if (captcha === null || c.req.method !== 'POST' || EXEMPT_GRANTS.includes(c.req.query('grant_type') ?? ''))
    return next();
  // An unreadable token does not exempt the caller; the handler reports its fault.
  const caller = await readCaller(c.req.raw, c.var.ip).catch(() => null);
  if (caller?.role === 'service_role') return next();
  const token = readCaptchaToken(await parseBody(c).catch(() => null));
  if (token === null) throw new AuthRefusal(400, 'captcha_failed', `${FAILED} (no captcha_token found)`);
  const passed = await captcha.check(token, c.var.ip).catch((error: unknown) => {
    c.var.log.warn({ err: error }, 'the captcha provider did not answer; the request was refused');
    throw new AuthRefusal(503, 'captcha_failed', 'captcha verification process failed');
  });
  if (!passed) throw new AuthRefusal(400, 'captcha_failed', `${FAILED} (invalid-input-response)`);
  return next();
}

/** Returns null also for a body that is not JSON; the handler reports that fault. */
function readCaptchaToken(body: unknown): string | null {
  if (body === null || typeof body !== 'object' || !('gotrue_meta_security' in body)) return null;
  const security = body.gotrue_meta_security;
  if (security === null || typeof security !== 'object' || !('captcha_token' in security)) return null;
  const token = security.captcha_token;
  return typeof token === 'string' && token !== '' && token.length <= 4_096 ? token : null;
}
