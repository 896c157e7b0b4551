import type { AuthContext } from '../core/context.ts';
import { linkKind, mailedLink } from '../codes/link-page.ts';
import { createMailRedirect } from '../external/redirects.ts';
import type { Operation } from '../core/request.ts';

/**
 * `GET /verify`: mail scanners follow links, so this verifies nothing. It leads to our page with the button that acts, or to the page of
 * another app in `redirect_to`, if the operator allows it, with the token to verify there; nowhere else, whatever `redirect_to` says.
 */
export function createVerifyGet({ config }: AuthContext): Operation {
  const mailRedirect = createMailRedirect(config.siteUrl, config.redirects);
  return (c) => {
    const kind = linkKind(c.req.query('type') ?? '');
    const token = (c.req.query('token_hash') ?? c.req.query('token') ?? '').slice(0, 200);
    const redirectTo = mailRedirect(c.req.query('redirect_to'));
    return Promise.resolve(c.redirect(mailedLink(config.siteUrl, { kind, token, redirectTo }), 303));
  };
}
