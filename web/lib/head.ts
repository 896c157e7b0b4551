type Described = {
  readonly path: string;
  readonly canonical?: string;
  readonly rendered: 'whole' | 'first' | 'no';
};

/** Whether search engines may list the page. Only pre-rendered pages are public. */
export const isPublic = (page: Described): boolean => page.path !== '*' && page.rendered !== 'no';

/**
 * Updates the head after a client-side navigation. Each page sets its own title. The description is not updated, because it is only read
 * from the server's HTML.
 */
export function describePage(page: Described): void {
  const set = (selector: string, name: string, value: string): void =>
    document.head.querySelector(selector)?.setAttribute(name, value);
  set('meta[name="robots"]', 'content', isPublic(page) ? 'index, follow' : 'noindex');
  const path = page.path.endsWith('*') ? window.location.pathname : (page.canonical ?? page.path);
  set('link[rel="canonical"]', 'href', new URL(path, window.location.origin).href);
}
