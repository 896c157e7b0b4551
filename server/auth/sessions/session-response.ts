import { randomUUID } from 'node:crypto';
import { toUser } from '../accounts/user-object.ts';
import type { UserRow } from '../accounts/users.ts';
import { writeRefreshToken } from './refresh-tokens.ts';
import type { AuthContext } from '../core/context.ts';

/** An authentication method of a session, as in the token's `amr` claim; `timestamp` in Unix seconds. */
export type SessionMethod = { readonly method: string; readonly timestamp: number };
/** The state of a session that goes into its token. */
type SessionState = {
  readonly id: string;
  readonly generation: number;
  readonly aal: string;
  readonly amr: readonly SessionMethod[];
};
/** A session as the API returns it. */
export type SessionResponse = Readonly<Record<string, unknown>>;
/** Builds a session response: access token, refresh token and user. */
export function sessionResponse(context: AuthContext, user: UserRow, session: SessionState): SessionResponse {
  const { keys, clock, config } = context;
  const now = clock();
  const seconds = config.accessTokenSeconds;
  return {
    access_token: keys.sign(accessClaims(config.apiUrl, user, session), seconds, now),
    token_type: 'bearer',
    expires_in: seconds,
    expires_at: Math.floor(now.getTime() / 1000) + seconds,
    refresh_token: writeRefreshToken(keys, { sessionId: session.id, generation: session.generation }),
    user: toUser(user),
  };
}

function accessClaims(apiUrl: string, user: UserRow, session: SessionState): Record<string, unknown> {
  return {
    iss: `${apiUrl}/auth/v1`,
    sub: user.id,
    aud: 'authenticated',
    role: 'authenticated',
    email: user.email ?? '',
    phone: user.phone ?? '',
    session_id: session.id,
    is_anonymous: user.is_anonymous,
    aal: session.aal,
    amr: session.amr,
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    jti: randomUUID(),
  };
}
