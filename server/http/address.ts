import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

/** The address of the other end of the connection, which may be a proxy; null without a connection, as in tests. */
export function peerAddress(c: Context): string | null {
  try {
    return getConnInfo(c).remote.address ?? null;
  } catch {
    return null;
  }
}

/** The client's address after trusted proxies; an IPv6 address is cut to its /64, which is one customer. */
export function addressOf(peerAddress: string, forwarded: string | undefined, trustedProxies: number): string {
  const chain = (forwarded ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const claimed = trustedProxies > 0 ? chain.at(-trustedProxies) : undefined;
  const address = (claimed ?? peerAddress).replace(/^::ffff:/i, '');
  if (!address.includes(':')) return address.slice(0, 45);
  const [head = '', tail = ''] = address.split('::');
  const left = head.split(':').filter((part) => part !== '');
  const right = tail.split(':').filter((part) => part !== '');
  const full = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0'), ...right];
  return `${full.slice(0, 4).join(':')}::`;
}

/** Whether a request comes from this machine itself. A proxy on this machine passes others' requests on, and says so in a header. */
export function isLocal(c: Context): boolean {
  const peer = peerAddress(c)?.replace(/^::ffff:/i, '') ?? '';
  const passedOn = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'].some(
    (name) => c.req.header(name) !== undefined,
  );
  return !passedOn && (/^127(?:\.\d{1,3}){3}$/.test(peer) || peer === '::1');
}
