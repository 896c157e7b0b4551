import type { Keys } from '#server/crypto/keys.ts';
import type { Sender } from './json-budget.ts';

/** Returns the sender whose budget the body of a request uses. Null for the service key, which has no budget. */
export type ReadSender = (request: Request, address: string) => Promise<Sender | null>;

/** Creates the reader of senders. It verifies the token but not its session, because an ended session still identifies the account. */
export function createReadSender(keys: Pick<Keys, 'verify'>, clock: () => Date): ReadSender {
  return async (request, address) => {
    const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const token = bearer ?? request.headers.get('apikey');
    const claims = token ? await keys.verify(token, clock()).catch(() => null) : null;
    return getSender(claims, address);
  };
}

/** Returns the sender whose budget the holder of these verified claims uses. */
export function getSender(claims: Readonly<Record<string, unknown>> | null, address: string): Sender | null {
  const { role, sub } = claims ?? {};
  if (role === 'service_role') return null;
  return typeof sub === 'string' && sub !== '' && role !== 'anon' ? { account: sub } : { address };
}
