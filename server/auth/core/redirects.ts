import type { AuthConfig } from './config.ts';

/**
 * The pages to which redirects may lead: pages of `siteUrl`, and pages that match `redirects` in Supabase Auth's syntax (see `toPattern`).
 */
type RedirectRules = Pick<AuthConfig, 'siteUrl' | 'redirects'>;

const LENGTH_MAX = 2_000;
/** Schemes that run code or read local files. They are never allowed. */
const BLOCKED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'view-source:',
  'filesystem:',
]);

/** Returns the requested page if redirects may lead there, else null. Compares scheme, host, port and path, not query and fragment. */
export function allowedRedirect(rules: RedirectRules, requested: string | null | undefined): string | null {
  const url = parseUrl(requested ?? '');
  if (!url) return null;
  const web = url.protocol === 'https:' || url.protocol === 'http:';
  if (web && url.origin === new URL(rules.siteUrl).origin) return url.href;
  const target = web ? `${url.origin}${url.pathname}` : `${url.protocol}//${url.host}${url.pathname}`;
  return rules.redirects.some((glob) => toPattern(glob).test(target)) ? url.href : null;
}

/** Returns the requested page if redirects may lead there, else the site's own address. */
export function safeRedirect(rules: RedirectRules, requested: string | null | undefined): string {
  return allowedRedirect(rules, requested) ?? rules.siteUrl;
}

/**
 * Returns the requested page if it is an allowed page of another app. Returns null for our own pages and for pages that are not allowed.
 */
export function mailRedirect(rules: RedirectRules, requested: string | null | undefined): string | null {
  const url = allowedRedirect(rules, requested);
  return url === null || new URL(url).origin === new URL(rules.siteUrl).origin ? null : url;
}

/** Parses an absolute URL. Returns null for any text that browsers and parsers read differently. */
function parseUrl(text: string): URL | null {
  if (text.length > LENGTH_MAX || !/^[a-z][a-z0-9+.-]*:\/\/[^/\\]/i.test(text)) return null;
  // eslint-disable-next-line no-control-regex -- finds control characters
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !text.isWellFormed()) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return BLOCKED_SCHEMES.has(url.protocol) || url.username !== '' || url.password !== '' ? null : url;
}

/** Compiles an allowed address: `*` matches anything but `.` and `/`, `**` matches anything. */
function toPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^./]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
