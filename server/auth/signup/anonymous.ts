import { checkMetadata } from '../accounts/metadata.ts';
import { userById } from '../accounts/users.ts';
import { recordEvent } from '../core/audit-log.ts';
import { AuthRefusal } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import type { RequestInfo } from '../core/request.ts';
import { beginSessionIn } from '../sessions/begin.ts';
import type { SessionResponse } from '../sessions/session-response.ts';
import type { AuthContext } from '../core/context.ts';

/** Creates an anonymous account, without email and phone, and its session. Allows thirty per hour from one IP address. */
export async function signUpAnonymously(
  context: AuthContext,
  data: Record<string, unknown>,
  request: RequestInfo,
): Promise<SessionResponse> {
  const { clock, config, db } = context;
  if (!config.anonymousEnabled || !config.signupEnabled)
    throw new AuthRefusal(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled');
  checkMetadata(data);
  const { ip } = request;
  await takeLimit(context, authLimits.anonymousIp, `ip:${ip}`);
  const at = clock();
  const begun = await db.transaction(async (tx) => {
    const row = await tx.queryRow<{ id: string }>(
      `insert into auth.users (is_anonymous, raw_app_meta_data, raw_user_meta_data, created_at)
       values (true, '{}', $1::jsonb, $2::timestamptz) returning id`,
      [data, at],
    );
    const user = row && (await userById(tx, row.id));
    if (!user) throw new Error('a new account cannot be read back');
    await recordEvent(tx, { action: 'user_signedup', actorId: user.id, at, ip, details: { kind: 'anonymous' } });
    return beginSessionIn(context, tx, user, 'anonymous', request);
  });
  return begun.response;
}
