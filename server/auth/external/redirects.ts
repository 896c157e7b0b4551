/** Returns the requested page if redirects may lead there, else the site's own address. */
export type SafeRedirect = (requested: string | null | undefined) => string;

const LONGEST = 2_000;
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

/**
 * Creates the redirect check. `allowed`: addresses besides the site's, in hosted Supabase's syntax: `*` matches anything but `.` and `/`,
 * `**` matches anything. Compares scheme, host, port and path, not query and fragment.
 */
export function createSafeRedirect(siteUrl: string, allowed: readonly string[]): SafeRedirect {
  const check = createRedirectCheck(siteUrl, allowed);
  return (requested) => check(requested) ?? siteUrl;
}

/** Creates the same check, which returns null for an address that is not allowed. */
export function createRedirectCheck(
  siteUrl: string,
  allowed: readonly string[],
): (requested: string | null | undefined) => string | null {
  const { origin } = new URL(siteUrl);
  const patterns = allowed.map(toPattern);
  return (requested) => {
    const url = readAddress(requested ?? '');
    if (!url) return null;
    const web = url.protocol === 'https:' || url.protocol === 'http:';
    const target = web ? `${url.origin}${url.pathname}` : `${url.protocol}//${url.host}${url.pathname}`;
    const ours = web && url.origin === origin;
    return ours || patterns.some((pattern) => pattern.test(target)) ? url.href : null;
  };
}

/** Creates the check for mailed links: returns an allowed page of another app; null for our own pages and for anything not allowed. */
export function createMailRedirect(
  siteUrl: string,
  allowed: readonly string[],
): (requested: string | null | undefined) => string | null {
  const check = createRedirectCheck(siteUrl, allowed);
  const { origin } = new URL(siteUrl);
  return (requested) => {
    const url = check(requested);
    return url === null || new URL(url).origin === origin ? null : url;
  };
}

/** Parses an absolute address. Returns null for anything that browsers and parsers read differently. */
function readAddress(text: string): URL | null {
  if (text.length > LONGEST || !/^[a-z][a-z0-9+.-]*:\/\/[^/\\]/i.test(text)) return null;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !text.isWellFormed()) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return BLOCKED_SCHEMES.has(url.protocol) || url.username !== '' || url.password !== '' ? null : url;
}

function toPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^./]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
