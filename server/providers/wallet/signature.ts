import { createHash, type KeyObject, sign, type X509Certificate } from 'node:crypto';
import * as cms from '@peculiar/asn1-cms';
import { AsnConvert, AsnObjectIdentifierConverter, OctetString } from '@peculiar/asn1-schema';
import { Certificate, Time } from '@peculiar/asn1-x509';

/** The signer: a certificate, its RSA key, and the certificate that issued it. */
export type Signer = {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  readonly authority: X509Certificate;
};

const SHA256 = new cms.DigestAlgorithmIdentifier({ algorithm: '2.16.840.1.101.3.4.2.1', parameters: null });
const RSA = new cms.SignatureAlgorithmIdentifier({ algorithm: '1.2.840.113549.1.1.1', parameters: null });

/**
 * Signs a file without including it: a CMS message (RFC 5652, formerly PKCS #7) with both certificates, the digest of the file and the
 * time, as Apple requires for a pass.
 */
export function signDetached(content: Uint8Array, { certificate, key, authority }: Signer, now: Date): Buffer {
  const digest = new OctetString(createHash('sha256').update(content).digest());
  // The package has a type for a set of attributes only under this name. DER requires the members in the order of their bytes, which here
  // follows from their lengths.
  const signedAttrs = new cms.UnprotectedAttributes([
    attribute(cms.id_contentType, AsnObjectIdentifierConverter.toASN(cms.id_data)),
    attribute(cms.id_signingTime, new Time(now)),
    attribute(cms.id_messageDigest, digest),
  ]);
  const { issuer, serialNumber } = parse(certificate).tbsCertificate;
  const signer = new cms.SignerInfo({
    version: cms.CMSVersion.v1,
    sid: new cms.SignerIdentifier({ issuerAndSerialNumber: new cms.IssuerAndSerialNumber({ issuer, serialNumber }) }),
    digestAlgorithm: SHA256,
    signedAttrs,
    signatureAlgorithm: RSA,
    // The signature covers the set with its own tag, not with the tag that it has in the message (section 5.4).
    signature: new OctetString(sign('sha256', Buffer.from(AsnConvert.serialize(signedAttrs)), key)),
  });
  const certificates = [certificate, authority]
    .toSorted((a, b) => a.raw.compare(b.raw))
    .map((item) => new cms.CertificateChoices({ certificate: parse(item) }));
  const message = new cms.SignedData({
    version: cms.CMSVersion.v1,
    digestAlgorithms: new cms.DigestAlgorithmIdentifiers([SHA256]),
    encapContentInfo: new cms.EncapsulatedContentInfo({ eContentType: cms.id_data }),
    certificates: new cms.CertificateSet(certificates),
    signerInfos: new cms.SignerInfos([signer]),
  });
  const info = new cms.ContentInfo({ contentType: cms.id_signedData, content: AsnConvert.serialize(message) });
  return Buffer.from(AsnConvert.serialize(info));
}

const attribute = (attrType: string, value: object): cms.Attribute =>
  new cms.Attribute({ attrType, attrValues: [AsnConvert.serialize(value)] });

const parse = ({ raw }: X509Certificate): Certificate => AsnConvert.parse(raw, Certificate);
