import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

export const PASS_TYPE = 'pass.com.example.booking';
export const ISSUER_ID = '3388000000012345678';
export const SERVICE_EMAIL = 'passes@example.iam.gserviceaccount.com';
const SUBJECT = `/UID=${PASS_TYPE}/CN=Pass Type ID: ${PASS_TYPE}/OU=TEAM123456/O=Example`;
const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/**
 * Creates throw-away keys in the shape of Apple's and Google's, in a separate folder: a root, an authority that it issued, the certificate
 * of a pass type, which also signs for Google, and one for a server on this machine.
 */
export function makeWalletKeys() {
  const folder = mkdtempSync(join(tmpdir(), 'wallet-'));
  const file = (name: string): string => join(folder, name);
  const readContent = (name: string): string => readFileSync(file(name), 'utf8');
  function openssl(...args: string[]): string {
    const { status, stdout, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    return stdout;
  }
  /** Creates NAME.pem and NAME.key. `by` names the issuer; null creates a self-signed certificate. */
  function makeCertificate(name: string, by: string | null, subject: string, more: readonly string[]): void {
    const issuer = by === null ? [] : ['-CA', `${by}.pem`, '-CAkey', `${by}.key`];
    const output = ['-keyout', `${name}.key`, '-out', `${name}.pem`];
    openssl('req', '-x509', '-nodes', '-days', '365', '-subj', subject, ...issuer, ...output, ...more);
  }
  makeCertificate('root', null, '/CN=Root', EC);
  makeCertificate('authority', 'root', '/CN=Authority', EC);
  makeCertificate('pass', 'authority', SUBJECT, ['-newkey', 'rsa:2048', '-addext', 'basicConstraints=CA:FALSE']);
  makeCertificate('server', 'root', '/CN=localhost', [...EC, '-addext', 'subjectAltName=DNS:localhost']);
  setTokenUrl(undefined);

  function setTokenUrl(url: string | undefined): void {
    const account = { client_email: SERVICE_EMAIL, private_key: readContent('pass.key'), token_uri: url };
    writeFileSync(file('service.json'), JSON.stringify(account, null, 2));
  }
  return {
    folder,
    file,
    readContent,
    openssl,
    setTokenUrl,
    settings: {
      WALLET_APPLE_CERTIFICATE_FILE: file('pass.pem'),
      WALLET_APPLE_KEY_FILE: file('pass.key'),
      WALLET_APPLE_AUTHORITY_CERTIFICATE_FILE: file('authority.pem'),
      WALLET_GOOGLE_ISSUER_ID: ISSUER_ID,
      WALLET_GOOGLE_SERVICE_KEY_FILE: file('service.json'),
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** Reads the directory at the end of a ZIP file and then each file, as a phone does. Files are stored without compression. */
export function unzip(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from('504b0506', 'hex'));
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let remaining = bytes.readUInt16LE(end + 10); remaining > 0; remaining -= 1) {
    const [size, nameLength] = [bytes.readUInt32LE(at + 24), bytes.readUInt16LE(at + 28)];
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    files.set(name, bytes.subarray(start, start + size));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  expect(at).toBe(end);
  return files;
}
