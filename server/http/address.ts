import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

/** Returns the address of the connection's peer, which may be a proxy. Null without a connection, as in tests. */
export function peerAddress(c: Context): string | null {
  try {
    return getConnInfo(c).remote.address ?? null;
  } catch {
    return null;
  }
}

/**
 * Returns the client address as reported by trusted proxies. An IPv6 address is cut to its /64, because one customer usually owns a whole
 * /64.
 */
export function getAddress(peerAddress: string, forwarded: string | undefined, trustedProxies: number): string {
  const claimed = trustedProxies > 0 ? addressesIn(forwarded).at(-trustedProxies) : undefined;
  const address = (claimed ?? peerAddress).replace(/^::ffff:/i, '');
  if (!address.includes(':')) return address.slice(0, 45);
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter((part) => part !== '');
  const right = tail.split(':').filter((part) => part !== '');
  const full = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${full.slice(0, 4).join(':')}::`;
}

const addressesIn = (forwarded: string | undefined): string[] =>
  (forwarded ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Whether a request comes from this machine. A proxy on this machine forwards requests of other clients, but adds one of the headers below.
 */
export function isLocal(c: Context): boolean {
  const peer = peerAddress(c)?.replace(/^::ffff:/i, '') ?? '';
  const forwarded = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => c.req.header(name) !== undefined,
  );
  return !forwarded && (/^127(?:\.\d{1,3}){3}$/.test(peer) || peer === '::1');
}
