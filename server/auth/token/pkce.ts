import { z } from 'zod';
import { isBanned, userById } from '../accounts/users.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { fitsChallenge } from '../external/pkce.ts';
import { type Operation, readBody, readFrom } from '../core/request.ts';

const schema = z.object({ auth_code: z.string().min(1).max(200), code_verifier: z.string().min(1).max(200) });

/** `POST /token?grant_type=pkce`: trades the code of a sign-in for its session, if whoever began it asks. A code is gone with its first trade. */
export function createTokenPkce(parts: AuthContext): Operation {
  const { db, clock, flows, limits, sessions } = parts;
  return async (c) => {
    const body = await readBody(c, schema);
    const from = readFrom(c);
    const wait = await limits(authLimits.verifyIp, `ip:${from.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const done = await db.transaction(async (tx) => {
      // Refusals are answered, not thrown: the code must stay used.
      const traded = await flows.trade(tx, body.auth_code);
      if (!traded?.flow.challenge)
        return new AuthRefusal(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
      if (traded.over) return new AuthRefusal(403, 'flow_state_expired', 'invalid flow state, flow state has expired');
      if (!fitsChallenge(body.code_verifier, traded.flow.challenge))
        return new AuthRefusal(
          400,
          'bad_code_verifier',
          'code challenge does not match previously saved code verifier',
        );
      const user = await userById(tx, traded.userId);
      if (!user || isBanned(user, clock())) return new AuthRefusal(403, 'user_banned', 'User is banned');
      return { ...(await sessions.beginIn(tx, user, traded.flow.method, from)), tokens: traded.tokens };
    });
    if (done instanceof AuthRefusal) throw done;
    sessions.forget(done.ended);
    return c.json({
      ...done.answer,
      ...(done.tokens && {
        provider_token: done.tokens.access,
        ...(done.tokens.refresh === null ? {} : { provider_refresh_token: done.tokens.refresh }),
      }),
    });
  };
}
