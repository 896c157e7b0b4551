import { deriveKey } from '#server/crypto/derive-key.ts';
import { createEncryption, type Encryption } from '#server/crypto/encryption.ts';
import { createFingerprint, type Fingerprint } from '#server/crypto/fingerprint.ts';
import type { Keys } from '#server/crypto/keys.ts';
import { createLinkSigner, type LinkSigner } from '#server/crypto/link-signer.ts';

/** The operations encrypt, sign and fingerprint with these. They also accept what an earlier key has produced. */
export type Secrets = {
  /** Encrypts the digits of door codes. The context is the id of the code. */
  readonly doorCodes: Encryption;
  readonly doorFingerprint: Fingerprint;
  /** Signs links in emails. */
  readonly links: LinkSigner;
};

/** The keys are derived from their purposes: changing a purpose makes stored data unreadable. */
export function createSecrets(keys: Pick<Keys, 'deriveAll'>): Secrets {
  const [links, ...earlierLinks] = keysFor(keys, 'links', 'mail-link');
  const [prints, ...earlierPrints] = keysFor(keys, 'door-codes', 'door-code-print');
  return {
    doorCodes: createEncryption(...keysFor(keys, 'door-codes', 'door-code-seal')),
    doorFingerprint: createFingerprint(prints, ...earlierPrints),
    links: createLinkSigner(links, ...earlierLinks),
  };
}

/** The current key and the earlier ones. */
function keysFor(keys: Pick<Keys, 'deriveAll'>, group: string, purpose: string): [Uint8Array, ...Uint8Array[]] {
  const [current, ...earlier] = keys.deriveAll(group).map((secret) => deriveKey(secret, purpose));
  if (!current) throw new Error('there is no key');
  return [current, ...earlier];
}
