/** Tells where a person may be led after a sign-in: the address that was asked for, if it is one of ours, else the site's own. */
export type SafeRedirect = (request: string | null | undefined) => string;

const LONGEST = 2_000;
/** Schemes that run something in a page or read this machine, whatever a list allows. */
const NEVER = new Set(['javascript:', 'data:', 'vbscript:', 'blob:', 'file:', 'about:', 'view-source:', 'filesystem:']);

/**
 * `allowed`: addresses besides the site's, as hosted Supabase writes them: `*` stands for anything without `.` or `/`, `**` for anything.
 * They are compared with scheme, host, port and path; query and fragment are the client's.
 */
export function createSafeRedirect(siteUrl: string, allowed: readonly string[]): SafeRedirect {
  const check = createRedirectCheck(siteUrl, allowed);
  return (request) => check(request) ?? siteUrl;
}

/** The same question, answered with null where the address is none of ours. */
export function createRedirectCheck(
  siteUrl: string,
  allowed: readonly string[],
): (request: string | null | undefined) => string | null {
  const { origin } = new URL(siteUrl);
  const patterns = allowed.map(toPattern);
  return (request) => {
    const url = readAddress(request ?? '');
    if (!url) return null;
    const web = url.protocol === 'https:' || url.protocol === 'http:';
    const place = web ? `${url.origin}${url.pathname}` : `${url.protocol}//${url.host}${url.pathname}`;
    const ours = web && url.origin === origin;
    return ours || patterns.some((pattern) => pattern.test(place)) ? url.href : null;
  };
}

/** The page of another app that mailed links of this request lead to; null: our own page, also for addresses that are not allowed. */
export function createMailRedirect(
  siteUrl: string,
  allowed: readonly string[],
): (request: string | null | undefined) => string | null {
  const check = createRedirectCheck(siteUrl, allowed);
  const { origin } = new URL(siteUrl);
  return (request) => {
    const url = check(request);
    return url === null || new URL(url).origin === origin ? null : url;
  };
}

/** An absolute address without anything that browsers and parsers read differently; null for all else. */
function readAddress(text: string): URL | null {
  if (text.length > LONGEST || !/^[a-z][a-z0-9+.-]*:\/\/[^/\\]/i.test(text)) return null;
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || !text.isWellFormed()) return null;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return NEVER.has(url.protocol) || url.username !== '' || url.password !== '' ? null : url;
}

function toPattern(glob: string): RegExp {
  const parts = glob.split(/(\*\*|\*)/).map((part) => {
    if (part === '**') return '.*';
    return part === '*' ? '[^./]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`);
}
