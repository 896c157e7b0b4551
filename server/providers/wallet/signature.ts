import { createHash, type KeyObject, sign, type X509Certificate } from 'node:crypto';
import { der, integer, membersOf, NULL, octets, oid, sequence, set, utcTime } from './der.ts';

/** Who signs: a certificate, its RSA key, and the certificate that issued it. */
export type Signer = {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  readonly authority: X509Certificate;
};

const OID = {
  data: oid('1.2.840.113549.1.7.1'),
  signedData: oid('1.2.840.113549.1.7.2'),
  contentType: oid('1.2.840.113549.1.9.3'),
  messageDigest: oid('1.2.840.113549.1.9.4'),
  signingTime: oid('1.2.840.113549.1.9.5'),
  sha256: oid('2.16.840.1.101.3.4.2.1'),
  rsa: oid('1.2.840.113549.1.1.1'),
} as const;
const SHA256 = sequence(OID.sha256, NULL);

/**
 * Signs a file without including it: a CMS message (RFC 5652, formerly PKCS #7) with both certificates, the digest of the file and the time, as Apple
 * requires of a pass.
 */
export function signDetached(content: Uint8Array, { certificate, key, authority }: Signer, now: Date): Buffer {
  const attributes = [
    sequence(OID.contentType, set(OID.data)),
    sequence(OID.signingTime, set(utcTime(now))),
    sequence(OID.messageDigest, set(octets(createHash('sha256').update(content).digest()))),
  ];
  // What is signed is the set with its own tag; inside of the message the set has the tag of its place (section 5.4).
  const signed = set(...attributes);
  const signerInfo = sequence(
    integer(1),
    issuerAndSerial(certificate),
    SHA256,
    retagged(signed, IN_PLACE_0),
    sequence(OID.rsa, NULL),
    octets(sign('sha256', signed, key)),
  );
  const message = sequence(
    integer(1),
    set(SHA256),
    sequence(OID.data),
    retagged(set(certificate.raw, authority.raw), IN_PLACE_0),
    set(signerInfo),
  );
  return sequence(OID.signedData, der(IN_PLACE_0, message));
}

/** [0], constructed. */
const IN_PLACE_0 = 0xa0;

function retagged(value: Buffer, tag: number): Buffer {
  const copy = Buffer.from(value);
  copy.writeUInt8(tag, 0);
  return copy;
}

/** Names a certificate by its issuer and number, which stand in it after the version (RFC 5280, section 4.1). */
function issuerAndSerial({ raw }: X509Certificate): Buffer {
  const [toBeSigned] = membersOf(raw);
  const parts = toBeSigned === undefined ? [] : membersOf(toBeSigned);
  const [serial, , issuer] = parts[0]?.[0] === IN_PLACE_0 ? parts.slice(1) : parts;
  if (serial === undefined || issuer === undefined) throw new RangeError('the certificate has no issuer');
  return sequence(issuer, serial);
}
