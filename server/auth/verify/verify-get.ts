import type { AuthParts } from '../auth-parts.ts';
import type { Operation } from '../request.ts';

const PAGES: Readonly<Record<string, { page: string; type: string }>> = {
  recovery: { page: '/auth?reset=true&', type: 'recovery' },
  email_change: { page: '/email-verified?', type: 'email_change' },
};
const SIGN_UP = { page: '/email-verified?', type: 'signup' };

/**
 * `GET /verify`: mail scanners follow links, so this only leads to our page with the button that acts (decisions T-14). Wherever
 * `redirect_to` points, it leads nowhere else.
 */
export function createVerifyGet({ config }: AuthParts): Operation {
  return (c) => {
    const asked = c.req.query('type') ?? '';
    const { page, type } = (Object.hasOwn(PAGES, asked) ? PAGES[asked] : undefined) ?? SIGN_UP;
    const token = encodeURIComponent((c.req.query('token_hash') ?? c.req.query('token') ?? '').slice(0, 200));
    return Promise.resolve(c.redirect(`${config.siteUrl}${page}token_hash=${token}&type=${type}`, 303));
  };
}
