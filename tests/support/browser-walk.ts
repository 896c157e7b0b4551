/** A browser without rendering: follows redirects one by one, keeps cookies by origin, fills in forms. */
export type Walker = {
  /** Requests a URL; returns the redirect target (null when there is none) and the page. */
  go(url: string, init?: { method?: 'POST'; form?: Record<string, string> }): Promise<Step>;
};
export type Step = { readonly status: number; readonly location: string | null; readonly page: string };

export function createWalker(ip: string): Walker {
  const jar = new Map<string, Map<string, string>>();
  return {
    async go(url, init = {}) {
      const { origin } = new URL(url);
      const cookies = jar.get(origin) ?? new Map<string, string>();
      const response = await fetch(url, {
        method: init.method ?? 'GET',
        redirect: 'manual',
        headers: {
          'x-forwarded-for': ip,
          ...(cookies.size === 0 ? {} : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        },
        ...(init.form === undefined ? {} : { body: new URLSearchParams(init.form) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (/max-age=0/i.test(line)) cookies.delete(name);
        else cookies.set(name, value);
      }
      jar.set(origin, cookies);
      const location = response.headers.get('location');
      return {
        status: response.status,
        location: location === null ? null : new URL(location, url).href,
        page: await response.text(),
      };
    },
  };
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
