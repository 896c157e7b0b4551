import type { Contact } from '../core/contact.ts';
import { refuse } from '../core/errors.ts';
import { authLimits } from '../core/limits.ts';
import type { TokenKind } from '../core/message-queue.ts';
import type { AuthContext } from '../core/context.ts';

/**
 * Limits messages to an email or phone: one of each kind per `mailIntervalSeconds`, and five of all kinds per hour. An IP address may cause
 * 30 per hour. The limits are the same whether or not an account exists. Throws the API's 429.
 */
export async function takeMessageLimit(
  { limits, config }: AuthContext,
  to: Contact & { kind: TokenKind; ip: string },
): Promise<void> {
  const interval = { name: 'auth-mail-interval', max: 1, seconds: config.mailIntervalSeconds };
  const key = 'email' in to ? `mail:${to.email}` : `phone:${to.phone}`;
  for (const [limit, of] of [
    [authLimits.mailIp, `ip:${to.ip}`],
    [interval, `${to.kind}:${key}`],
    [authLimits.mailAddressHour, key],
  ] as const) {
    const wait = await limits(limit, of);
    if (wait !== null) throw 'email' in to ? refuse.mailRate(wait) : refuse.smsRate(wait);
  }
}
