import { createHash } from 'node:crypto';

const PREFIX_BYTES = 8;

/**
 * Reads a list of breached passwords, one per line: a password, its SHA-1 hash, or `hash:count`. Returns a function that checks whether a
 * password is in the list. Stores only the first 8 bytes of each hash, which need little memory and do not reveal the passwords.
 */
export function readBreached(text: string): (password: string) => boolean {
  const prefix = (hash: string): string => hash.slice(0, PREFIX_BYTES * 2).toLowerCase();
  const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex');
  const prefixes = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const hash = /^([\da-f]{40})(:\d+)?$/i.exec(line)?.[1];
    if (line !== '') prefixes.add(prefix(hash ?? sha1(line)));
  }
  return (password) => prefixes.has(prefix(sha1(password)));
}
