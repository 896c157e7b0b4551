import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { refuse } from '../core/errors.ts';
import type { RequestInfo } from '../core/request.ts';
import { record } from '../core/audit-log.ts';
import { checkMetadata, userById } from '../accounts/users.ts';

/** Creates the anonymous sign-up: an account without email and phone, thirty an hour from one address. */
export function createAnonymousSignUp(
  context: AuthContext,
): (data: Record<string, unknown>, request: RequestInfo) => Promise<Record<string, unknown>> {
  const { clock, config, db, limits, sessions } = context;
  return async (data, request) => {
    if (!config.anonymousEnabled || !config.signupEnabled)
      throw refuse.disabled(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
    checkMetadata(data);
    const wait = await limits(authLimits.anonymousIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const now = clock();
    const begun = await db.transaction(async (tx) => {
      const row = await tx.one<{ id: string }>(
        `insert into auth.users (is_anonymous, raw_app_meta_data, raw_user_meta_data, created_at)
         values (true, '{}', $1::jsonb, $2::timestamptz) returning id`,
        [data, now],
      );
      const user = row && (await userById(tx, row.id));
      if (!user) throw new Error('a new account cannot be read back');
      await record(tx, {
        action: 'user_signedup',
        actorId: user.id,
        at: now,
        ip: request.ip,
        details: { kind: 'anonymous' },
      });
      return sessions.beginIn(tx, user, 'anonymous', request);
    });
    return begun.answer;
  };
}
