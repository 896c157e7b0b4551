/** Response headers: those that guard pages, and those of the APIs, which any origin may call with its own token. */

export type HeaderSettings = {
  /** The address people open. */
  readonly siteUrl: string;
  /** Whose challenge runs on our pages; null: none. */
  readonly captcha: 'turnstile' | 'hcaptcha' | null;
};

export type Headers = readonly (readonly [name: string, value: string])[];

const CAPTCHA_ORIGINS = {
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
} as const;

/** Headers of pages and their files: no script, style or connection but our own, and text never becomes code (trusted types). */
export function pageHeaders(settings: HeaderSettings): Headers {
  const captcha = settings.captcha !== null;
  return [
    ['content-security-policy', pagePolicy(settings)],
    ['x-content-type-options', 'nosniff'],
    // A reset link, a PIN link and a payment's return address must not reach another site.
    ['referrer-policy', 'no-referrer'],
    ['permissions-policy', 'camera=(self), microphone=(), geolocation=(), payment=()'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
    // The frame of a captcha does not opt in to being embedded under this policy.
    ...(captcha ? [] : [['cross-origin-embedder-policy', 'require-corp'] as const]),
    ['x-frame-options', 'DENY'],
    ...transportHeaders(settings),
  ];
}

function pagePolicy({ siteUrl, captcha }: HeaderSettings): string {
  const { protocol, host } = new URL(siteUrl);
  const foreign = captcha === null ? [] : CAPTCHA_ORIGINS[captcha];
  const own = (...more: readonly string[]): string => ["'self'", ...more].join(' ');
  return [
    "default-src 'none'",
    `script-src ${own(...foreign)}`,
    // hCaptcha loads a style sheet of its own.
    `style-src ${own(...(captcha === 'hcaptcha' ? foreign : []))}`,
    `img-src ${own('blob:', 'data:')}`,
    `media-src ${own('blob:')}`,
    `font-src ${own()}`,
    `connect-src ${own(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}`, ...foreign)}`,
    ...(foreign.length === 0 ? [] : [`frame-src ${foreign.join(' ')}`]),
    `worker-src ${own()}`,
    `manifest-src ${own()}`,
    `form-action ${own()}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    // A phone on the same network must be able to try the site without a certificate.
    ...(protocol === 'https:' ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/** Headers of API answers. No credentials are allowed: tokens travel in headers, never in cookies. */
export function apiHeaders(settings: HeaderSettings): Headers {
  return [
    ['access-control-allow-origin', '*'],
    ['access-control-expose-headers', EXPOSED.join(',')],
    ['cross-origin-resource-policy', 'cross-origin'],
    ['x-content-type-options', 'nosniff'],
    ...transportHeaders(settings),
  ];
}

function transportHeaders({ siteUrl }: HeaderSettings): Headers {
  if (!siteUrl.startsWith('https:')) return [];
  return [['strict-transport-security', 'max-age=63072000; includeSubDomains; preload']];
}

/** Request headers that a browser of another origin may send. */
export const ALLOWED_REQUEST_HEADERS = [
  'authorization',
  'apikey',
  'content-type',
  'x-client-info',
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
