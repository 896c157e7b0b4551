/** A sign-in message signed by a wallet: EIP-4361 for Ethereum, and the same format for Solana. */
export type WalletMessage = {
  readonly domain: string;
  /** The address in the chain's form. An Ethereum address is in lower case. */
  readonly address: string;
  readonly statement: string | null;
  readonly uri: URL;
  readonly network: string | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
  readonly notBefore: Date | null;
};
export type Chain = 'ethereum' | 'solana';

const ADDRESS: Readonly<Record<Chain, RegExp>> = {
  ethereum: /^0x[a-fA-F0-9]{40}$/,
  solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
};
const HEADER: Readonly<Record<Chain, string>> = {
  ethereum: ' wants you to sign in with your Ethereum account:',
  solana: ' wants you to sign in with your Solana account:',
};
const FIELDS = ['URI', 'Version', 'Chain ID', 'Nonce', 'Issued At', 'Expiration Time', 'Not Before', 'Request ID'];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/**
 * Parses a message. For an invalid message, returns a text that describes the fault. Refuses repeated fields, which two parsers could read
 * differently.
 */
export function readWalletMessage(raw: string, chain: Chain): WalletMessage | string {
  const lines = raw.split('\n');
  if (lines.length < 6) return 'message needs to be at least 6 lines long';
  // eslint-disable-next-line no-control-regex -- finds control characters
  if (lines.some((line) => /[\u0000-\u001f\u007f]/.test(line))) return 'message contains control characters';
  const [first = '', address = '', blank = '', statement = '', after = ''] = lines;
  if (!first.endsWith(HEADER[chain])) return `message first line does not end in "${HEADER[chain]}"`;
  const domain = first.slice(0, -HEADER[chain].length).replace(/^https?:\/\//, '');
  if (!/^[a-z0-9.-]+(:\d{1,5})?$/i.test(domain)) return 'domain in first line of message is not valid';
  if (!ADDRESS[chain].test(address)) return 'wallet address is not in the expected format';
  if (blank !== '') return 'third line must be empty';
  const hasStatement = statement !== '' && after === '';
  const fields = readFields(lines.slice(hasStatement ? 5 : 3));
  if (typeof fields === 'string') return fields;
  const values = readValues(fields);
  if (typeof values === 'string') return values;
  return {
    ...values,
    domain: domain.toLowerCase(),
    address: chain === 'ethereum' ? address.toLowerCase() : address,
    statement: hasStatement ? statement : null,
  };
}

function readFields(lines: readonly string[]): Map<string, string> | string {
  const fields = new Map<string, string>();
  const resources = lines.findIndex((line) => /^Resources:?$/.test(line));
  const listed = resources === -1 ? [] : lines.slice(resources + 1);
  if (listed.some((line) => line !== '' && !line.startsWith('- '))) return 'each resource must begin with "- "';
  for (const line of resources === -1 ? lines : lines.slice(0, resources)) {
    if (line === '') continue;
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    if (!FIELDS.includes(name)) return `line "${line.slice(0, 40)}" is not part of a sign-in message`;
    if (fields.has(name)) return `${name} appears twice`;
    fields.set(name, value.trim());
  }
  return fields;
}

function readValues(
  fields: ReadonlyMap<string, string>,
): Pick<WalletMessage, 'uri' | 'network' | 'issuedAt' | 'expiresAt' | 'notBefore'> | string {
  if (fields.get('Version') !== '1') return `Version value is not supported, expected 1`;
  const uri = fields.get('URI') ?? '';
  if (!/^https?:\/\//.test(uri) || !URL.canParse(uri)) return 'URI is missing or invalid';
  const [issuedAt, expiresAt, notBefore] = ['Issued At', 'Expiration Time', 'Not Before'].map((name) =>
    readInstant(fields.get(name)),
  );
  if (!issuedAt) return 'Issued At is missing or not an ISO8601 timestamp';
  if (expiresAt === undefined || notBefore === undefined)
    return 'Expiration Time or Not Before is not an ISO8601 timestamp';
  if (expiresAt && expiresAt < issuedAt) return 'Issued At is after Expiration Time';
  if (expiresAt && notBefore && expiresAt < notBefore) return 'Not Before is after Expiration Time';
  return { uri: new URL(uri), network: fields.get('Chain ID') ?? null, issuedAt, expiresAt, notBefore };
}

/** Reads a time. Returns null if it is missing and undefined if it is invalid. */
function readInstant(text: string | undefined): Date | null | undefined {
  if (text === undefined) return null;
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text) : undefined;
}
