import { randomUUID } from 'node:crypto';
import type { Clock } from '#server/http/caller.ts';
import type { Keys } from '#server/crypto/keys.ts';
import type { AuthConfig } from '../core/config.ts';
import { toUser, type UserRow } from '../accounts/users.ts';
import type { RefreshTokens } from './refresh-tokens.ts';

/** An authentication method of a session, as in the token's `amr` claim; `timestamp` in Unix seconds. */
export type SessionMethod = { readonly method: string; readonly timestamp: number };
/** The state of a session that goes into its token. */
export type SessionState = {
  readonly id: string;
  readonly generation: number;
  readonly aal: string;
  readonly amr: readonly SessionMethod[];
};

/** Creates the function that builds a session response: access token, refresh token and user. */
export function createSessionResponse(dependencies: {
  keys: Keys;
  tokens: RefreshTokens;
  clock: Clock;
  config: AuthConfig;
}): (user: UserRow, session: SessionState) => Record<string, unknown> {
  const { keys, tokens, clock, config } = dependencies;
  return (user, session) => {
    const now = clock();
    const seconds = config.accessTokenSeconds;
    const access = keys.sign(
      {
        iss: `${config.apiUrl}/auth/v1`,
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
      },
      seconds,
      now,
    );
    return {
      access_token: access,
      token_type: 'bearer',
      expires_in: seconds,
      expires_at: Math.floor(now.getTime() / 1000) + seconds,
      refresh_token: tokens.write(session.id, session.generation),
      user: toUser(user),
    };
  };
}
