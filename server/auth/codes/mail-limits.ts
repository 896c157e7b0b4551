import { type AuthConfig, authLimits } from '../auth-config.ts';
import type { TakeLimit } from '#server/http/limits.ts';
import { refuse } from '../errors.ts';

/** One mail in `mailIntervalSeconds` and five an hour to an address, whether anybody has it or not (promises G26, G27). Throws the wire's 429. */
export async function takeMail(
  parts: { limits: TakeLimit; config: AuthConfig },
  to: { email: string; ip: string },
): Promise<void> {
  const interval = { name: 'auth-mail-interval', max: 1, seconds: parts.config.mailIntervalSeconds };
  for (const [limit, key] of [
    [authLimits.mailIp, `ip:${to.ip}`],
    [interval, `mail:${to.email}`],
    [authLimits.mailAddressHour, `mail:${to.email}`],
  ] as const) {
    const wait = await parts.limits(limit, key);
    if (wait !== null) throw refuse.mailRate(wait);
  }
}
