import { createHash } from 'node:crypto';

/** Matches the tags of the site's own scripts, preloaded modules and style sheets. */
const OWN_FILE = /<(?:script|link)\b[^>]*?\b(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"[^>]*?(?=>)/g;

/**
 * Adds the hash of its file to every tag that loads the site's own code (Subresource Integrity), so that browsers refuse a changed file.
 * `read` returns the bytes at an address such as /assets/main-1.js.
 */
export function addIntegrity(html: string, read: (address: string) => Buffer): string {
  return html.replaceAll(OWN_FILE, (tag, address: string) => {
    return `${tag} integrity="${integrityHash(read(address))}"`;
  });
}

/** Returns the value of the attribute `integrity` for a file with these bytes. */
export function integrityHash(bytes: Buffer): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
}
