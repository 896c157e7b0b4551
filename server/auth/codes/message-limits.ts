import type { TakeLimit } from '#server/http/limits.ts';
import { type AuthConfig, authLimits } from '../core/config.ts';
import { refuse } from '../core/errors.ts';
import type { Way } from '../core/request.ts';
import type { TokenKind } from './one-time-tokens.ts';

/**
 * One message of a kind in `mailIntervalSeconds` and five an hour in all to an address or phone, whether anybody has it or not
 * (promises G26, G27). Throws the wire's 429.
 */
export async function takeMessage(
  parts: { limits: TakeLimit; config: AuthConfig },
  to: Way & { kind: TokenKind; ip: string },
): Promise<void> {
  const interval = { name: 'auth-mail-interval', max: 1, seconds: parts.config.mailIntervalSeconds };
  const key = 'email' in to ? `mail:${to.email}` : `phone:${to.phone}`;
  for (const [limit, of] of [
    [authLimits.mailIp, `ip:${to.ip}`],
    [interval, `${to.kind}:${key}`],
    [authLimits.mailAddressHour, key],
  ] as const) {
    const wait = await parts.limits(limit, of);
    if (wait !== null) throw 'email' in to ? refuse.mailRate(wait) : refuse.smsRate(wait);
  }
}
