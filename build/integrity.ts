import { createHash } from 'node:crypto';

/** Scripts, preloaded modules and stylesheets of our own build; `read` returns the bytes at an address such as /assets/main-1.js. */
const OWN_FILE = /<(?:script|link)\b[^>]*?\b(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"[^>]*?(?=>)/g;

/** Adds the hash of its file to every tag of a page that loads code of ours, so that a changed file is not run (Subresource Integrity). */
export function addIntegrity(html: string, read: (address: string) => Buffer): string {
  return html.replaceAll(OWN_FILE, (tag, address: string) => {
    const hash = createHash('sha384').update(read(address)).digest('base64');
    return `${tag} integrity="sha384-${hash}"`;
  });
}
