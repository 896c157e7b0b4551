import type { Limit } from '#server/http/limits.ts';
import { refuse } from './errors.ts';
import type { AuthContext } from './context.ts';

/** Rate limits of `/auth/v1`. Tests multiply them with RATE_LIMIT_FACTOR. */
export const authLimits = {
  /** Password sign-ins from one IP address, successful or not. */
  signInIp: { name: 'auth-sign-in-ip', max: 20, seconds: 300 },
  /** Wrong passwords for one account. */
  signInAccount: { name: 'auth-sign-in-account', max: 10, seconds: 900 },
  signUpIp: { name: 'auth-sign-up-ip', max: 20, seconds: 3_600 },
  anonymousIp: { name: 'auth-anonymous-ip', max: 30, seconds: 3_600 },
  refreshIp: { name: 'auth-refresh-ip', max: 600, seconds: 300 },
  verifyIp: { name: 'auth-verify-ip', max: 60, seconds: 300 },
  mailAddressHour: { name: 'auth-mail-address', max: 5, seconds: 3_600 },
  mailIp: { name: 'auth-mail-ip', max: 30, seconds: 3_600 },
  /** Checks whether an email address has an account. */
  probeIp: { name: 'auth-probe-ip', max: 30, seconds: 60 },
  /** Current passwords and codes given to confirm a change. */
  password: { name: 'auth-password-user', max: 10, seconds: 900 },
  /** Wrong answers for one factor, counted over all its challenges. */
  factorAttempts: { name: 'auth-factor-attempts', max: 10, seconds: 900 },
  factorChallenge: { name: 'auth-factor-challenge', max: 30, seconds: 900 },
  /** Messages with a factor's code to one phone. */
  factorMessage: { name: 'auth-factor-message', max: 1, seconds: 60 },
  /** Sign-ins started at external providers. */
  flowIp: { name: 'auth-flow-ip', max: 120, seconds: 300 },
  passkeyIp: { name: 'auth-passkey-ip', max: 120, seconds: 300 },
} as const;

/** Takes one unit of a rate limit. Throws the API's 429 if none is left. `key` is e.g. `ip:203.0.113.7`. */
export async function takeLimit({ limits }: AuthContext, limit: Limit, key: string): Promise<void> {
  const wait = await limits(limit, key);
  if (wait !== null) throw refuse.rate(wait);
}
