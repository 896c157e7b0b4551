import type { AuthParts } from '../auth-parts.ts';
import { linkKind, linkPage } from '../codes/link-page.ts';
import type { Operation } from '../request.ts';

/**
 * `GET /verify`: mail scanners follow links, so this only leads to our page with the button that acts (decisions T-14). Wherever
 * `redirect_to` points, it leads nowhere else.
 */
export function createVerifyGet({ config }: AuthParts): Operation {
  return (c) => {
    const kind = linkKind(c.req.query('type') ?? '');
    const token = encodeURIComponent((c.req.query('token_hash') ?? c.req.query('token') ?? '').slice(0, 200));
    return Promise.resolve(c.redirect(`${config.siteUrl}${linkPage(kind)}token_hash=${token}&type=${kind}`, 303));
  };
}
