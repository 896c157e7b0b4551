import { describe, expect, test } from 'vitest';
import { allowedRedirect, mailRedirect, safeRedirect } from './redirects.ts';

const SITE = 'https://site.example.com';
const RULES = {
  siteUrl: SITE,
  redirects: [
    'https://app.example.com/**',
    'https://*.preview.example.com/back',
    'http://localhost:5173/*',
    'my-app://sign-in',
  ],
};
const safe = (requested: string): string => safeRedirect(RULES, requested);

test.each([
  [`${SITE}/profile?x=1#y`, `${SITE}/profile?x=1#y`],
  [SITE, `${SITE}/`],
  ['HTTPS://SITE.EXAMPLE.COM/a', `${SITE}/a`],
  ['https://app.example.com/deep/er?code=1', 'https://app.example.com/deep/er?code=1'],
  ['https://pr-7.preview.example.com/back', 'https://pr-7.preview.example.com/back'],
  ['http://localhost:5173/auth', 'http://localhost:5173/auth'],
  ['my-app://sign-in', 'my-app://sign-in'],
])('%s is allowed', (requested, expected) => {
  expect(safe(requested)).toBe(expected);
});

/** Hosts that a payload tries to reach. */
const ATTACKER_HOSTS = ['evil.example', 'site.example.com.evil.example', 'evilsite.example.com', '127.0.0.1', '[::1]'];
const SHAPES: readonly ((host: string) => string)[] = [
  (host) => `https://${host}/`,
  (host) => `http://${host}/`,
  (host) => `//${host}/`,
  (host) => `///${host}/`,
  (host) => `/\\${host}/`,
  (host) => `\\\\${host}/`,
  (host) => `https:${host}`,
  (host) => `https:/${host}`,
  (host) => `https:///${host}`,
  (host) => `https:\\\\${host}`,
  (host) => `${SITE}@${host}/`,
  (host) => `https://site.example.com:443@${host}/`,
  (host) => `https://site.example.com%40${host}/`,
  (host) => `https://site.example.com\\@${host}/`,
  (host) => `https://site.example.com%5c@${host}/`,
  (host) => `https://${host}#${SITE}`,
  (host) => `https://${host}?${SITE}`,
  (host) => `https://${host}\\.site.example.com/`,
  (host) => `https://${host}%00.site.example.com/`,
  (host) => `https://${host}\u0000.site.example.com/`,
  (host) => ` https://${host}/`,
  (host) => `\thttps://${host}/`,
  (host) => `ht\ntps://${host}/`,
  (host) => `https://${host}\r\nset-cookie: a=b`,
  (host) => `https://app.example.com@${host}/deep`,
  (host) => `https://app.example.com.${host}/deep`,
  (host) => `https://${host}/https://app.example.com/deep`,
  (host) => `https://a.${host}/preview.example.com/back`,
  (host) => `https://${host}/.preview.example.com/back`,
  (host) => `https://x.y.preview.example.com.${host}/back`,
  (host) => `my-app://${host}`,
  (host) => `my-app:${host}`,
  (host) => `ftp://${host}/`,
  (host) => `wss://${host}/`,
  (host) => `file://${host}/etc/passwd`,
  (host) => `blob:https://${host}/x`,
  (host) => `javascript://site.example.com/%0aalert('${host}')`,
  (host) => `javascript:alert('${host}')//https://app.example.com/`,
  (host) => `data:text/html,<script>location='https://${host}'</script>`,
  (host) => `view-source:https://${host}/`,
  (host) => `https://ｅｖｉｌ.example/${host}`,
  (host) => `https://${host}。site.example.com/`,
];
const FIXED_PAYLOADS = [
  '',
  '/',
  '.',
  'null',
  '/auth',
  'auth',
  '?x',
  '#x',
  'https://',
  'https://?',
  'https://#',
  `${SITE.replace('https', 'http')}/`,
  `${SITE}:8443/`,
  'https://user@site.example.com/',
  'https://user:pass@site.example.com/',
  'https://SITE.example.com.',
  'https://a.b.preview.example.com/back',
  'https://pr-7.preview.example.com/back/more',
  'https://preview.example.com/back',
  'https://pr-7.preview.example.com/other',
  'http://app.example.com/deep',
  'https://app.example.com:444/deep',
  'http://localhost:5173/a/b',
  'http://localhost:5174/a',
  'my-app://sign-in/more',
  'my-app://sign-out',
  'vbscript://site.example.com/x',
  'about:blank',
  `https://app.example.com/${'x'.repeat(3_000)}`,
  '\ud800',
];
const payloads = [...SHAPES.flatMap((shape) => ATTACKER_HOSTS.map(shape)), ...FIXED_PAYLOADS];

describe('open redirects', () => {
  test(`none of ${payloads.length} payloads leads to another site`, () => {
    expect(payloads.length).toBeGreaterThanOrEqual(200);
    for (const payload of payloads) {
      const expected = safe(payload);
      // The fragment and query of our own page may contain anything; the test checks only which page opens.
      expect(
        [SITE, `${SITE}/`, 'https://app.example.com'].some(
          (ours) => expected === ours || new URL(expected).origin === new URL(ours).origin,
        ),
        `${payload} expected to ${expected}`,
      ).toBe(true);
    }
  });

  test.each([
    `https://user@${new URL(SITE).host}/a`,
    `https://:pass@${new URL(SITE).host}/a`,
    `https:${new URL(SITE).host}/a`,
    `https:/${new URL(SITE).host}/a`,
    `${SITE}/${'x'.repeat(2_000)}`,
  ])('%s is refused, although browsers would open a page of ours', (payload) => {
    expect(safe(payload)).toBe(SITE);
  });

  test('control: a list that allows everything lets payloads through', () => {
    const open = { siteUrl: SITE, redirects: ['https://**'] };
    expect(payloads.filter((payload) => new URL(safeRedirect(open, payload)).origin !== SITE).length).toBeGreaterThan(
      20,
    );
  });

  test.each(['javascript', 'data', 'vbscript', 'blob', 'file', 'about', 'view-source', 'filesystem'])(
    'no list allows the scheme %s, which runs code or reads files',
    (scheme) => {
      const open = { siteUrl: SITE, redirects: ['**'] };
      expect(safeRedirect(open, 'my-app://page')).toBe('my-app://page');
      expect(safeRedirect(open, `${scheme}://page`)).toBe(SITE);
    },
  );
});

test('a mailed link leads to an allowed page of another app, and to no page of ours', () => {
  expect(mailRedirect(RULES, 'https://app.example.com/a')).toBe('https://app.example.com/a');
  for (const page of [`${SITE}/a`, 'https://evil.example/a', '', null, undefined])
    expect(mailRedirect(RULES, page)).toBeNull();
});

test('signs in an allowed address stand for themselves', () => {
  const page = 'https://a.example/(x)+[y]';
  const rules = { siteUrl: SITE, redirects: [page] };
  expect(allowedRedirect(rules, page)).toBe(page);
  for (const other of ['https://axexample/(x)+[y]', 'https://a.example/xx[y]', 'https://a.example/(x)+y'])
    expect(allowedRedirect(rules, other)).toBeNull();
});
