import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { address, isLoopback, text } from './fields.ts';

/** The environment variables for passes for wallets, spread into the schema in config.ts. */
export const walletFields = {
  WALLET_APPLE_CERTIFICATE: text.optional(),
  WALLET_APPLE_KEY: text.optional(),
  WALLET_APPLE_AUTHORITY_CERTIFICATE: text.optional(),
  WALLET_APPLE_PUSH_URL: address.default('https://api.push.apple.com'),
  WALLET_GOOGLE_ISSUER_ID: z
    .string()
    .regex(/^\d{5,30}$/, 'is a number from the Google Wallet console')
    .optional(),
  WALLET_GOOGLE_SERVICE_KEY: text.optional(),
  WALLET_GOOGLE_API_URL: address.default('https://walletobjects.googleapis.com'),
};
type WalletEnvironment = z.output<z.ZodObject<typeof walletFields>>;

/** Certificates and key as PEM. `typeId` and `teamId` are read from the certificate. */
type AppleWalletSettings = {
  readonly certificate: string;
  readonly key: string;
  /** Apple's intermediate certificate, which issued ours. */
  readonly authority: string;
  readonly typeId: string;
  readonly teamId: string;
  /** Apple's address for push notifications that make phones request a newer pass. */
  readonly pushUrl: string;
};
type GoogleWalletSettings = ServiceAccount & { readonly issuerId: string; readonly apiUrl: string };
/** `tokenUrl`: address at which the account gets access tokens. */
type ServiceAccount = { readonly email: string; readonly privateKey: string; readonly tokenUrl: string };
/** A member is null if passes of this kind are not offered. */
export type WalletConfig = {
  readonly apple: AppleWalletSettings | null;
  readonly google: GoogleWalletSettings | null;
};

const APPLE = ['WALLET_APPLE_CERTIFICATE', 'WALLET_APPLE_KEY', 'WALLET_APPLE_AUTHORITY_CERTIFICATE'] as const;
const GOOGLE = ['WALLET_GOOGLE_ISSUER_ID', 'WALLET_GOOGLE_SERVICE_KEY'] as const;

/** Reads the keys and certificates that sign passes. If `walletFaults` finds no faults, each kind is complete or absent. */
export function readWalletConfig(env: WalletEnvironment): WalletConfig {
  const [certificate, key, authority] = APPLE.map((name) => pem(env[name]));
  const ids = readIds(certificate);
  const service = readService(env.WALLET_GOOGLE_SERVICE_KEY);
  const issuerId = env.WALLET_GOOGLE_ISSUER_ID;
  return {
    apple:
      certificate && key && authority && ids
        ? { certificate, key, authority, ...ids, pushUrl: env.WALLET_APPLE_PUSH_URL }
        : null,
    google:
      issuerId !== undefined && service !== null ? { issuerId, ...service, apiUrl: env.WALLET_GOOGLE_API_URL } : null,
  };
}

/**
 * Lists settings that are missing, unreadable or do not belong together, one line per fault. An expired certificate is not a fault here;
 * the doctor reports it.
 */
export function walletFaults(env: WalletEnvironment, production: boolean): string[] {
  return [
    ...incomplete(env, APPLE),
    ...incomplete(env, GOOGLE),
    ...appleFaults(env),
    ...googleFaults(env),
    ...addressFaults(env, production),
  ];
}

function incomplete(env: WalletEnvironment, names: readonly (keyof WalletEnvironment)[]): string[] {
  const given = names.filter((name) => env[name] !== undefined);
  if (given.length === 0 || given.length === names.length) return [];
  return names.filter((name) => !given.includes(name)).map((name) => `${name}: is needed with ${given[0]}`);
}

/**
 * Checks the addresses of the wallet services. The contents of passes and the credentials that change them are sent there, so the addresses
 * must use TLS, except for this machine in development.
 */
function addressFaults(env: WalletEnvironment, production: boolean): string[] {
  const addresses = {
    WALLET_APPLE_PUSH_URL: env.WALLET_APPLE_PUSH_URL,
    WALLET_GOOGLE_API_URL: env.WALLET_GOOGLE_API_URL,
    'WALLET_GOOGLE_SERVICE_KEY: its token_uri': readService(env.WALLET_GOOGLE_SERVICE_KEY)?.tokenUrl,
  };
  return Object.entries(addresses).flatMap(([name, url]) => {
    if (url === undefined) return [];
    const fault = (text: string): string[] => [name.includes(':') ? `${name} ${text}` : `${name}: ${text}`];
    if (isLoopback(url)) return production ? fault('points to this machine, which production refuses') : [];
    return url.startsWith('https://') ? [] : fault('has to be https');
  });
}

function appleFaults(env: WalletEnvironment): string[] {
  const [certificateName, keyName, authorityName] = APPLE;
  const certificate = readCertificate(env[certificateName]);
  const authority = readCertificate(env[authorityName]);
  const key = readKey(env[keyName]);
  const faults = [
    ...(certificate === null ? [`${certificateName}: ${NO_CERTIFICATE}`] : []),
    ...(authority === null ? [`${authorityName}: ${NO_CERTIFICATE}`] : []),
    ...(key === null ? [`${keyName}: is not a private RSA key in PEM form without a passphrase`] : []),
  ];
  if (!certificate) return faults;
  if (readIds(pem(env[certificateName])) === null)
    faults.push(`${certificateName}: is not a certificate of a pass type: its subject has no UID pass.… and OU`);
  if (key && !certificate.checkPrivateKey(key)) faults.push(`${keyName}: is not the key of ${certificateName}`);
  if (authority && !(certificate.checkIssued(authority) && certificate.verify(authority.publicKey)))
    faults.push(`${authorityName}: did not issue ${certificateName}; take Apple's intermediate that its issuer names`);
  return faults;
}
const NO_CERTIFICATE = 'is not a certificate in PEM form';

function googleFaults(env: WalletEnvironment): string[] {
  const name = 'WALLET_GOOGLE_SERVICE_KEY';
  if (env[name] === undefined || readService(env[name]) !== null) return [];
  return [`${name}: is not a JSON key of a service account with client_email and private_key`];
}

/** Replaces each written `\n` by a line break, because values in environment files cannot contain line breaks. */
const pem = (value: string | undefined): string | undefined => value?.replaceAll(String.raw`\n`, '\n');

/** Returns undefined if the certificate is not given and null if it is unreadable. */
function readCertificate(value: string | undefined): X509Certificate | null | undefined {
  return value === undefined ? undefined : orNull(() => new X509Certificate(pem(value) ?? ''));
}

function readKey(value: string | undefined): KeyObject | null | undefined {
  if (value === undefined) return undefined;
  const key = orNull(() => createPrivateKey(pem(value) ?? ''));
  return key?.asymmetricKeyType === 'rsa' ? key : null;
}

/** Apple writes the pass type into the subject as UID and the team as OU. */
function readIds(certificate: string | undefined): { typeId: string; teamId: string } | null {
  const { subject } = readCertificate(certificate) ?? {};
  const part = (name: string): string | undefined => new RegExp(`^${name}=(.+)$`, 'm').exec(subject ?? '')?.[1];
  const [typeId, teamId] = [part('UID'), part('OU')];
  return typeId?.startsWith('pass.') === true && teamId !== undefined ? { typeId, teamId } : null;
}

const serviceSchema = z.object({
  client_email: z.email(),
  private_key: z.string(),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
});

function readService(value: string | undefined): ServiceAccount | null {
  const parsed = serviceSchema.safeParse(value === undefined ? null : orNull((): unknown => JSON.parse(value)));
  if (!parsed.success || !readKey(parsed.data.private_key)) return null;
  const { client_email: email, private_key: privateKey, token_uri: tokenUrl } = parsed.data;
  return { email, privateKey, tokenUrl };
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
