import { createHash } from 'node:crypto';

const PREFIX_BYTES = 8;

/**
 * Reads a list of breached passwords, plain or as SHA-1 (`hash:count` too), one per line. Returns the check whether a password is in it.
 * Stores only the first bytes of hashes: they need little memory and do not reveal the passwords.
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
