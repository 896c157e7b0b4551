import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Chain } from './wallet-message.ts';

/** Returns a description of the fault in the format of a signature, or null if it is valid. */
export function signatureFault(signature: string, chain: Chain): string | null {
  if (chain === 'ethereum')
    return /^0x[0-9a-fA-F]{130}$/.test(signature)
      ? null
      : 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string';
  return /^[A-Za-z0-9+/_-]{86}(==)?$/.test(signature)
    ? null
    : 'signature must be 64 bytes encoded as base64 with or without padding';
}

/** Whether the owner of an address signed a message. */
export function isSignedBy(address: string, message: string, signature: string, chain: Chain): boolean {
  try {
    return chain === 'ethereum'
      ? ethereumAddress(message, signature) === address
      : ed25519.verify(Buffer.from(signature, 'base64url'), Buffer.from(message), fromBase58(address), {
          zip215: false,
        });
  } catch {
    return false; // an invalid point or key: the signature does not match
  }
}

/** Recovers the address that made a `personal_sign` signature (EIP-191, version 0x45). */
function ethereumAddress(message: string, signature: string): string {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const last = bytes.readUInt8(64);
  const recovery = last >= 27 ? last - 27 : last;
  const text = Buffer.from(message);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]));
  const recovered = Buffer.concat([Buffer.from([recovery]), bytes.subarray(0, 64)]);
  const key = secp256k1.Signature.fromBytes(recovered, 'recovered').recoverPublicKey(hash).toBytes(false);
  return `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`;
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Decodes the 32 bytes of a Solana address. */
function fromBase58(text: string): Uint8Array {
  const number = Array.from(text).reduce((sum, letter) => sum * 58n + BigInt(BASE58.indexOf(letter)), 0n);
  if (number >> 256n !== 0n) throw new Error('too long for an address');
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
}
