type Described = {
  readonly path: string;
  readonly description: string;
  readonly canonical?: string;
  readonly rendered: 'whole' | 'first' | 'no';
};

/** Whether a search engine may show it: what is printed is for everybody, the rest is somebody's own. */
export const isPublic = (page: Described): boolean => page.path !== '*' && page.rendered !== 'no';

/** Keeps the head true when the page changes without being loaded anew; its title each page sets itself. */
export function describePage(page: Described): void {
  const set = (selector: string, name: string, value: string): void =>
    document.head.querySelector(selector)?.setAttribute(name, value);
  set('meta[name="description"]', 'content', page.description);
  set('meta[name="robots"]', 'content', isPublic(page) ? 'index, follow' : 'noindex');
  const path = page.path === '*' ? window.location.pathname : (page.canonical ?? page.path);
  set('link[rel="canonical"]', 'href', new URL(path, window.location.origin).href);
}
