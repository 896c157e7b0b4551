import type { AuthContext } from '../core/context.ts';
import { linkKind, mailedLink } from '../codes/link-page.ts';
import { createMailRedirect } from '../external/redirects.ts';
import type { Handler } from '../core/request.ts';

/**
 * `GET /verify`: verifies nothing, because mail scanners follow links. Redirects to our page with a button, or to an allowed page of
 * another app in `redirect_to`, with the token to verify there.
 */
export function createVerifyGet({ config }: AuthContext): Handler {
  const mailRedirect = createMailRedirect(config.siteUrl, config.redirects);
  return (c) => {
    const kind = linkKind(c.req.query('type') ?? '');
    const token = (c.req.query('token_hash') ?? c.req.query('token') ?? '').slice(0, 200);
    const redirectTo = mailRedirect(c.req.query('redirect_to'));
    return Promise.resolve(c.redirect(mailedLink(config.siteUrl, { kind, token, redirectTo }), 303));
  };
}
