import { ProviderError } from '#server/providers/call.ts';

/** One line of `npm run doctor`. `advice`: what to do about it; '' where nothing is to be done. */
export type Finding = {
  readonly area: Area;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly advice: string;
};
export type Area =
  | 'settings'
  | 'database'
  | 'files'
  | 'backup'
  | 'payments'
  | 'webhook'
  | 'id checks'
  | 'locks'
  | 'plugs'
  | 'mail'
  | 'wallets'
  | 'clock'
  | 'site';

/** Something to look at: it finds out what is right and wrong in its area. */
export type Check = { readonly area: Area; readonly run: () => Promise<readonly Finding[]> };

/** Writes the findings of an area. */
export const findingsOf = (area: Area) => ({
  ok: (text: string): Finding => ({ area, state: 'ok', text, advice: '' }),
  warn: (text: string, advice: string): Finding => ({ area, state: 'warn', text, advice }),
  fail: (text: string, advice: string): Finding => ({ area, state: 'fail', text, advice }),
});

/** Why a call failed: the reason of the provider, and the code of the innermost cause, such as ECONNREFUSED. */
export function reasonOf(error: unknown): string {
  const cause = innermost(error);
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  const message = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  if (error instanceof ProviderError) return [error.reason, code ?? message].filter((part) => part !== '').join(', ');
  return code === null || message?.includes(code) ? (message ?? '') : `${code}: ${message}`;
}

/** What to do about a failed call: the network when nobody answered, else as `otherwise` says. */
export function adviceFor(error: unknown, otherwise: string): string {
  const silent = error instanceof ProviderError && error.reason === 'no_response';
  return silent ? 'Check that this machine reaches it: address, network, firewall.' : otherwise;
}

function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}

const SECRET_NAME = /(SECRET|PASSPHRASE|_KEY|_TOKEN|_KEY_ID|DATABASE_URL|SMTP_URL)$/;
const SHORTEST = 4;

/** Returns what removes the values of secret settings from a line: a library may quote a key or an address with a password. */
export function createRedaction(settings: Readonly<Record<string, string>>): (line: string) => string {
  const secrets = Object.entries(settings)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, ...passwordsIn(value)])
    .filter((value) => value.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length);
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line);
}

function passwordsIn(value: string): string[] {
  const password = /^[a-z]+:\/\/[^:@/]*:([^@/]+)@/.exec(value)?.[1];
  if (password === undefined) return [];
  return URL.canParse(value) ? [password, decodeURIComponent(password)] : [password];
}
