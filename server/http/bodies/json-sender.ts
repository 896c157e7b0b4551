import type { Keys } from '#server/crypto/keys.ts';
import type { Sender } from './json-budget.ts';

/** Returns whose budget the body of a request uses; null for the service key, which has none. */
export type ReadSender = (request: Request, address: string) => Promise<Sender | null>;

/** Creates it. The token is verified but not its session: one that has ended still names the account. */
export function createReadSender(keys: Pick<Keys, 'verify'>, clock: () => Date): ReadSender {
  return async (request, address) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const token = bearer ?? request.headers.get('apikey');
    const claims = token ? await keys.verify(token, clock()).catch(() => null) : null;
    return senderOf(claims, address);
  };
}

/** Whose budget the holder of these verified claims uses. */
export function senderOf(claims: Readonly<Record<string, unknown>> | null, address: string): Sender | null {
  const { role, sub } = claims ?? {};
  if (role === 'service_role') return null;
  return typeof sub === 'string' && sub !== '' && role !== 'anon' ? { account: sub } : { address };
}
