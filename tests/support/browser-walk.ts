/** A browser without rendering. It follows redirects one by one, keeps cookies by origin, and fills in forms. */
export type Walker = {
  /** Requests a URL. Returns the redirect target (null if there is none) and the page. */
  go(url: string, init?: { method?: 'POST'; form?: Record<string, string> }): Promise<Step>;
};
export type Step = { readonly status: number; readonly location: string | null; readonly page: string };

/** `cookies`: `set-cookie` lines that a server has already sent. */
export function createWalker(ip: string, cookies: { origin: string; lines: readonly string[] } | null = null): Walker {
  const jar = new Map<string, Map<string, string>>();
  if (cookies !== null) jar.set(cookies.origin, storeCookies(new Map(), cookies.lines));
  return {
    async go(url, init = {}) {
      const { origin } = new URL(url);
      const stored = jar.get(origin) ?? new Map<string, string>();
      const response = await fetch(url, {
        method: init.method ?? 'GET',
        redirect: 'manual',
        headers: {
          'x-forwarded-for': ip,
          ...(stored.size === 0 ? {} : { cookie: [...stored].map(([name, value]) => `${name}=${value}`).join('; ') }),
        },
        ...(init.form === undefined ? {} : { body: new URLSearchParams(init.form) }),
      });
      jar.set(origin, storeCookies(stored, response.headers.getSetCookie()));
      const location = response.headers.get('location');
      return {
        status: response.status,
        location: location === null ? null : new URL(location, url).href,
        page: await response.text(),
      };
    },
  };
}

function storeCookies(stored: Map<string, string>, lines: readonly string[]): Map<string, string> {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/max-age=0/i.test(line)) stored.delete(name);
    else stored.set(name, value);
  }
  return stored;
}

/** Reads the hidden fields and the action of the first form on a page. */
export function readForm(page: string): { action: string; fields: Record<string, string> } {
  const unescape = (text: string): string =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const action = unescape(/<form method="post" action="([^"]*)"/.exec(page)?.[1] ?? '');
  const inputs = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  return { action, fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescape(value)])) };
}
