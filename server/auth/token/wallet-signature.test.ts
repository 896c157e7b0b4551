import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { expect, test } from 'vitest';
import { isSignedBy, signatureFault } from './wallet-signature.ts';

const MESSAGE = 'site.example wants you to sign in – with more than ASCII';
const HEX = 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string';
const BASE64 = 'signature must be 64 bytes encoded as base64 with or without padding';

/** Signs as a wallet does. `base`: the number that is added to the recovery number; 27 in most wallets. */
function signEthereum(message: string, base: number, secret: Uint8Array): { address: string; signature: string } {
  const key = secp256k1.getPublicKey(secret, false);
  const text = Buffer.from(message);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]));
  const signed = Buffer.from(secp256k1.sign(hash, secret, { prehash: false, format: 'recovered' }));
  const last = Buffer.from([base + signed.readUInt8(0)]).toString('hex');
  return {
    address: `0x${Buffer.from(keccak_256(key.subarray(1)).subarray(12)).toString('hex')}`,
    signature: `0x${signed.subarray(1).toString('hex')}${last}`,
  };
}

test.each([0, 27])('an Ethereum signature with recovery numbers from %i belongs to its address alone', (base) => {
  for (let n = 0; n < 8; n += 1) {
    const { address, signature } = signEthereum(MESSAGE, base, secp256k1.utils.randomSecretKey());
    const other = signEthereum(MESSAGE, base, secp256k1.utils.randomSecretKey());
    expect(signatureFault(signature, 'ethereum')).toBeNull();
    expect(isSignedBy(address, MESSAGE, signature, 'ethereum')).toBe(true);
    expect(isSignedBy(other.address, MESSAGE, signature, 'ethereum')).toBe(false);
    expect(isSignedBy(address, `${MESSAGE} `, signature, 'ethereum')).toBe(false);
    expect(isSignedBy(address, MESSAGE, `0x${'f'.repeat(130)}`, 'ethereum')).toBe(false);
  }
});

/** Secret keys and their addresses. The public key of the second one begins with two zero bytes. */
const SOLANA = [
  { secret: '5c'.repeat(32), address: 'Gymcte79ALGtFrWybRxqb7M7uRjnbjgaHjGgQf1v4qB8' },
  { secret: '24'.padStart(64, '0'), address: '117Kd6qCwXHybDT6XehPL8sbEMWsXeTqGimVfcU2ev5' },
];

test.each(SOLANA)('a Solana signature of $address belongs to it alone', ({ secret, address }) => {
  const signature = Buffer.from(ed25519.sign(Buffer.from(MESSAGE), Buffer.from(secret, 'hex'))).toString('base64');
  expect(signatureFault(signature, 'solana')).toBeNull();
  expect(isSignedBy(address, MESSAGE, signature, 'solana')).toBe(true);
  expect(isSignedBy(address, `${MESSAGE} `, signature, 'solana')).toBe(false);
  for (const other of [
    ...SOLANA.map((wallet) => wallet.address).filter((candidate) => candidate !== address),
    'z'.repeat(44),
  ])
    expect(isSignedBy(other, MESSAGE, signature, 'solana')).toBe(false);
});

test.each([
  ['0x' + 'aB'.repeat(65), null],
  ['0x' + 'ab'.repeat(64), HEX],
  ['0x' + 'ab'.repeat(66), HEX],
  ['ab'.repeat(66), HEX],
  [`x0x${'ab'.repeat(65)}`, HEX],
  [`0x${'ag'.repeat(65)}`, HEX],
])('the Ethereum signature %s has the fault %j', (signature, fault) => {
  expect(signatureFault(signature, 'ethereum')).toBe(fault);
});

test.each([
  ['aZ09+/_-'.repeat(11).slice(0, 86), null],
  [`${'a'.repeat(86)}==`, null],
  [`${'a'.repeat(86)}=`, BASE64],
  ['a'.repeat(85), BASE64],
  ['a'.repeat(87), BASE64],
  [`${'a'.repeat(85)}!`, BASE64],
])('the Solana signature %s has the fault %j', (signature, fault) => {
  expect(signatureFault(signature, 'solana')).toBe(fault);
});
