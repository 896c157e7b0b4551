import { createHash } from 'node:crypto';

/** Response headers: one set for pages, and one for the APIs, which any origin may call with its own token. */

export type HeaderOptions = {
  /** The public address of the site. */
  readonly siteUrl: string;
  /** The captcha provider on our pages, or null. */
  readonly captcha: 'turnstile' | 'hcaptcha' | null;
  /** How long browsers insist on https for this host (RFC 6797), and whether this covers its subdomains and the browsers' preload lists. */
  readonly hsts: { readonly seconds: number; readonly subdomains: boolean; readonly preload: boolean };
};

/** Name of the header with a page's content security policy. */
export const POLICY_HEADER = 'content-security-policy';
/** Path to which browsers report what a page's content security policy has blocked. */
export const POLICY_REPORTS_PATH = '/policy-reports';

export type Headers = readonly (readonly [name: string, value: string])[];

const CAPTCHA_ORIGINS = {
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
} as const;

/**
 * Headers of pages and their files. Scripts, styles and connections are allowed only from our origin, and trusted types prevent text from
 * becoming code.
 */
export function pageHeaders(settings: HeaderOptions): Headers {
  const captcha = settings.captcha !== null;
  return [
    [POLICY_HEADER, pagePolicy(settings)],
    // Browsers that know this header ignore `report-uri`. They accept it over https only.
    ...(isSecure(settings) ? [['reporting-endpoints', `${REPORT_GROUP}="${POLICY_REPORTS_PATH}"`] as const] : []),
    ['x-content-type-options', 'nosniff'],
    // Other sites must not learn reset links, PIN links or payment return addresses from the referrer.
    ['referrer-policy', 'no-referrer'],
    ['permissions-policy', 'camera=(self), microphone=(), geolocation=(), payment=()'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    // Captcha frames do not opt in to this policy, so it is omitted on sites with a captcha.
    ...(captcha ? [] : [['cross-origin-embedder-policy', 'require-corp'] as const]),
    ['x-frame-options', 'DENY'],
    ...transportHeaders(settings),
  ];
}

/**
 * Returns the content security policy of a page. `style`: the text of the page's only style element. If it is undefined, no style element
 * is allowed.
 */
export function pagePolicy(settings: Pick<HeaderOptions, 'siteUrl' | 'captcha'>, style?: string): string {
  const { siteUrl, captcha } = settings;
  const { protocol, host } = new URL(siteUrl);
  const captchaOrigins = captcha === null ? [] : CAPTCHA_ORIGINS[captcha];
  const sources = (...more: readonly string[]): string => ["'self'", ...more].join(' ');
  return [
    "default-src 'none'",
    `script-src ${sources(...captchaOrigins)}`,
    // hCaptcha loads its own style sheet.
    `style-src ${sources(...styleSource(style), ...(captcha === 'hcaptcha' ? captchaOrigins : []))}`,
    `img-src ${sources('blob:', 'data:')}`,
    `media-src ${sources('blob:')}`,
    `font-src ${sources()}`,
    `connect-src ${sources(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}`, ...captchaOrigins)}`,
    ...(captchaOrigins.length === 0 ? [] : [`frame-src ${captchaOrigins.join(' ')}`]),
    `worker-src ${sources()}`,
    `manifest-src ${sources()}`,
    `form-action ${sources()}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    `report-uri ${POLICY_REPORTS_PATH}`,
    ...(isSecure(settings) ? [`report-to ${REPORT_GROUP}`] : []),
    // This is omitted on http, so that a phone on the same network can try a site that has no certificate.
    ...(isSecure(settings) ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/** Headers of API answers. Credentials are not allowed: tokens travel in headers, never in cookies. */
export function apiHeaders(settings: HeaderOptions): Headers {
  return [
    ['access-control-allow-origin', '*'],
    ['access-control-expose-headers', EXPOSED.join(',')],
    ['cross-origin-resource-policy', 'cross-origin'],
    ['x-content-type-options', 'nosniff'],
    ...transportHeaders(settings),
  ];
}

const REPORT_GROUP = 'policy';
/** Returns the source that allows a style element with this text (Content Security Policy Level 3, section 2.3.1). */
function styleSource(style: string | undefined): readonly string[] {
  return style === undefined ? [] : [`'sha256-${createHash('sha256').update(style).digest('base64')}'`];
}

const isSecure = ({ siteUrl }: Pick<HeaderOptions, 'siteUrl'>): boolean => siteUrl.startsWith('https:');

function transportHeaders(settings: HeaderOptions): Headers {
  if (!isSecure(settings)) return [];
  const { seconds, subdomains, preload } = settings.hsts;
  const parts = [`max-age=${seconds}`, ...(subdomains ? ['includeSubDomains'] : []), ...(preload ? ['preload'] : [])];
  return [['strict-transport-security', parts.join('; ')]];
}

/** Request headers that pages of other origins may send. */
export const ALLOWED_REQUEST_HEADERS = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
  'x-request-id',
  'x-supabase-api-version',
  'x-upsert',
  'x-metadata',
  'x-region',
  'prefer',
  'range',
  'accept-profile',
  'content-profile',
  'x-retry-count',
  'traceparent',
  'tracestate',
  'baggage',
  'cache-control',
  'content-encoding',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'if-range',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-metadata',
  'x-http-method-override',
  'x-request-id',
  'x-signature',
];
const EXPOSED = [
  'content-range',
  'x-relay-error',
  'x-request-id',
  'x-supabase-api-version',
  'x-total-count',
  'link',
  'retry-after',
  'location',
  'etag',
  'accept-ranges',
  'content-disposition',
  'x-transformations',
  'tus-resumable',
  'upload-length',
  'upload-offset',
  'upload-expires',
  'upload-metadata',
];
