import { ProviderError } from '#server/providers/call.ts';

/**
 * One line of `npm run doctor`. `advice`: how to mend it; '' if there is nothing to do. `area`: set if it differs from the area of the
 * check.
 */
export type Finding = {
  readonly area?: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly advice: string;
};
export const ok = (text: string): Finding => ({ state: 'ok', text, advice: '' });
export const warn = (text: string, advice: string): Finding => ({ state: 'warn', text, advice });
export const fail = (text: string, advice: string): Finding => ({ state: 'fail', text, advice });

/** Keeps the findings whose condition holds, as in `condition && warn(…)`. */
export const listFindings = (...findings: readonly (Finding | false)[]): Finding[] =>
  findings.filter((finding) => finding !== false);

/** Returns the findings of `work`. If it throws, the finding is that `subject` failed, with the reason. */
export async function attempt(
  subject: string,
  advice: string | ((error: unknown) => string),
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [fail(`${subject}: ${getReason(error)}`, typeof advice === 'string' ? advice : advice(error))];
  }
}

/** Returns why a call failed: the provider's reason and the code of the innermost cause, such as ECONNREFUSED. */
export function getReason(error: unknown): string {
  const cause = innermost(error);
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : null;
  const message = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
  if (error instanceof ProviderError) return [error.reason, code ?? message].filter((part) => part !== '').join(', ');
  return code === null || message?.includes(code) ? (message ?? '') : `${code}: ${message}`;
}

/** Returns the advice for a failed call: to check the network if there was no answer, and otherwise `advice`. */
export const networkOr =
  (advice: string) =>
  (error: unknown): string =>
    error instanceof ProviderError && error.reason === 'no_response'
      ? 'Check that this machine reaches it: address, network, firewall.'
      : advice;

function innermost(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}

const SECRET_NAME = /(SECRET|PASSPHRASE|_KEY|_TOKEN|_KEY_ID|DATABASE_URL|SMTP_URL)$/;
const SHORTEST = 4;

/** Returns a function that removes the values of secret settings from a line: a library may quote a key or an address with a password. */
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
