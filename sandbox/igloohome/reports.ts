import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Core } from '../core/core.ts';

type ReportType = 3 | 5 | 10;
export type Reports = {
  /** Sends a signed webhook. The type is 5 for activity of a lock, 3 for a finished job, and 10 if the bridge went online or offline. */
  send(productId: string, type: ReportType, data: Record<string, unknown>): void;
  /** The public key as PEM, in the form that the vendor mails to integrators. */
  readonly publicKey: string;
};

let reportKey: string | null = null;

/**
 * Returns a private key as PEM. It is generated once per process and shared by all sandboxes, because finding its primes takes a third of a
 * second.
 */
export function newReportKey(): string {
  reportKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return reportKey;
}

/** Sends "Bridge automated events" to `webhookUrl`, signed as the vendor signs them. */
export function createReports(core: Core, webhookUrl: string, privateKeyPem: string): Reports {
  const privateKey = createPrivateKey(privateKeyPem);
  const publicKey = createPublicKey(privateKey);
  const hmacKey = publicKey.export({ type: 'pkcs1', format: 'der' });
  const { host, pathname } = new URL(webhookUrl);
  const contentType = 'application/json';

  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    send(productId, type, data) {
      const body = JSON.stringify({ payload: { product: { id: productId }, event: { id: randomUUID(), type, data } } });
      core.deliver(
        'igloohome',
        webhookUrl,
        () => {
          const date = new Date().toUTCString();
          const text = ['POST', host, pathname, contentType, date, body].join('|');
          // The encoding is latin1, because the vendor's reference code hashes the text byte by byte.
          const digest = createHmac('sha256', hmacKey).update(Buffer.from(text, 'latin1')).digest();
          return {
            body,
            headers: {
              'content-type': contentType,
              date,
              'x-igloocompany-date': date,
              'x-igloocompany-sha256': sign('sha256', digest, privateKey).toString('base64'),
            },
          };
        },
        `type ${type}`,
      );
    },
  };
}
