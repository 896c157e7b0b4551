import { createHmac, createPublicKey, createVerify, type KeyObject } from 'node:crypto';
import { type ObserveCalls, observed, ProviderError } from '../call.ts';

/** Verifies that igloohome signed a webhook. `rawBody` is the unmodified text of the request. */
export type VerifyIgloohomeWebhook = (request: Request, rawBody: string) => Promise<boolean>;

/** Maximum difference between a webhook's date and the server's clock, in milliseconds. */
const SKEW_MS = 300_000;
const KEY_TIMEOUT_MS = 3_000;

/**
 * Verifies signatures of igloohome's webhooks: RSA over an HMAC of `POST|host|path|content-type|Date|body`, keyed with the public key's DER
 * bytes. Each of `publicKeys` is a PEM text or a URL that serves one. A signature by any of them is accepted.
 */
export function createIgloohomeVerifier(config: {
  publicKeys: readonly string[];
  webhookUrl: string;
  observe: ObserveCalls;
}): VerifyIgloohomeWebhook {
  const { host, pathname } = new URL(config.webhookUrl);
  const keys = new Map<string, KeyObject>();
  return async (request, rawBody) => {
    const signature = request.headers.get('x-igloocompany-sha256') ?? '';
    const date = request.headers.get('date') ?? request.headers.get('x-igloocompany-date') ?? '';
    if (signature === '' || !(Math.abs(Date.now() - Date.parse(date)) < SKEW_MS)) return false;
    const text = ['POST', host, pathname, request.headers.get('content-type') ?? '', date, rawBody].join('|');
    for (const publicKey of config.publicKeys) {
      const key = keys.get(publicKey) ?? (await readKey(publicKey, config.observe));
      keys.set(publicKey, key);
      if (isSigned(key, text, signature)) return true;
    }
    return false;
  };
}

function isSigned(key: KeyObject, text: string, signature: string): boolean {
  const digest = createHmac('sha256', key.export({ type: 'pkcs1', format: 'der' }))
    .update(Buffer.from(text, 'latin1'))
    .digest();
  return createVerify('sha256').update(digest).verify(key, Buffer.from(signature, 'base64'));
}

async function readKey(publicKey: string, observe: ObserveCalls): Promise<KeyObject> {
  if (!/^https?:/.test(publicKey)) return createPublicKey(publicKey);
  return observed(observe, { provider: 'igloohome', operation: 'readWebhookKey' }, () => fetchKey(publicKey));
}

async function fetchKey(publicKey: string): Promise<KeyObject> {
  try {
    const response = await fetch(publicKey, { signal: AbortSignal.timeout(KEY_TIMEOUT_MS) });
    return createPublicKey(await response.text());
  } catch (cause) {
    throw new ProviderError('igloohome', 'no_public_key', { retryable: true }, cause);
  }
}
