import { linkKind, mailedLink } from '../codes/link-page.ts';
import { mailRedirect } from '../core/redirects.ts';
import type { Call } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/**
 * `GET /verify`: does not verify the token, because mail scanners follow links. Redirects with the token to our page, which has a button
 * that verifies it, or to an allowed page of another app in `redirect_to`.
 */
export function openVerifyLink({ config }: AuthContext, c: Call): Response {
  const kind = linkKind(c.req.query('type') ?? '');
  const token = (c.req.query('token_hash') ?? c.req.query('token') ?? '').slice(0, 200);
  const redirectTo = mailRedirect(config, c.req.query('redirect_to'));
  return c.redirect(mailedLink(config.siteUrl, { kind, token, redirectTo }), 303);
}
