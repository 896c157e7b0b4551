import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A software authenticator. It answers WebAuthn options like a phone or security key, or like a forger. */
export type Authenticator = {
  /** Returns the answer to registration options, in the form in which a browser sends it. */
  create(options: CreationOptions, tricks?: Tricks): Record<string, unknown> & { id: string };
  /** Returns the answer to request options. */
  get(options: { challenge: string; rpId?: string }, tricks?: Tricks): Record<string, unknown> & { id: string };
};
type CreationOptions = { challenge: string; rp: { id?: string }; user: { id: string } };
/** The differences from the answer of an honest authenticator. */
type Tricks = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  /** Whether the answer states that the user was not verified. */
  readonly unverified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly foreignKey?: KeyObject;
};

const FLAG_PRESENT = 0x01;
const FLAG_VERIFIED = 0x04;
const FLAG_KEY = 0x40;

/** Creates an authenticator. `origin`: the origin of the page that uses it. */
export function createAuthenticator(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32).toString('base64url');
  let counter = 0;
  let userHandle = '';

  function clientData(type: string, challenge: string, tricks: Tricks): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: tricks.type ?? type,
        challenge: tricks.challenge ?? challenge,
        origin: tricks.origin ?? origin,
        crossOrigin: false,
      }),
    );
  }
  function authData(rpId: string, tricks: Tricks, key: Buffer | null): Buffer {
    const head = Buffer.alloc(37);
    createHash('sha256')
      .update(tricks.rpId ?? rpId)
      .digest()
      .copy(head);
    head.writeUInt8(FLAG_PRESENT | (tricks.unverified ? 0 : FLAG_VERIFIED) | (key === null ? 0 : FLAG_KEY), 32);
    counter += 1;
    head.writeUInt32BE(tricks.counter ?? counter, 33);
    if (key === null) return head;
    const idBytes = Buffer.from(id, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(idBytes.length);
    return Buffer.concat([head, Buffer.alloc(16), length, idBytes, key]);
  }
  const common = { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} };

  return {
    create(options, tricks = {}) {
      userHandle = options.user.id;
      const data = clientData('webauthn.create', options.challenge, tricks);
      const auth = authData(options.rp.id ?? new URL(origin).hostname, tricks, coseKey(publicKey));
      return {
        ...common,
        response: {
          clientDataJSON: data.toString('base64url'),
          attestationObject: attestation(auth).toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    get(options, tricks = {}) {
      const data = clientData('webauthn.get', options.challenge, tricks);
      const auth = authData(options.rpId ?? new URL(origin).hostname, tricks, null);
      const signed = Buffer.concat([auth, createHash('sha256').update(data).digest()]);
      return {
        ...common,
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: auth.toString('base64url'),
          signature: sign('sha256', signed, tricks.foreignKey ?? privateKey).toString('base64url'),
          userHandle: tricks.userHandle ?? userHandle,
        },
      };
    },
  };
}

/** Encodes an ES256 key in COSE (RFC 9053): {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}

/** Encodes {fmt: "none", attStmt: {}, authData} in CBOR. */
function attestation(authData: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(authData.length);
  return Buffer.concat([
    Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
    Buffer.from('59', 'hex'),
    length,
    authData,
  ]);
}
