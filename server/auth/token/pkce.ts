import { z } from 'zod';
import { isBanned, userById } from '../accounts/users.ts';
import { authLimits } from '../core/config.ts';
import type { AuthContext } from '../core/context.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { fitsChallenge } from '../external/pkce.ts';
import { type Handler, readBody, readRequestInfo } from '../core/request.ts';

const schema = z.object({ auth_code: z.string().min(1).max(200), code_verifier: z.string().min(1).max(200) });

/** `POST /token?grant_type=pkce`: exchanges the code of a sign-in for its session, if the client has the verifier. A code works once. */
export function createTokenPkce(context: AuthContext): Handler {
  const { db, clock, flows, limits, sessions } = context;
  return async (c) => {
    const body = await readBody(c, schema);
    const request = readRequestInfo(c);
    const wait = await limits(authLimits.verifyIp, `ip:${request.ip}`);
    if (wait !== null) throw refuse.rate(wait);
    const done = await db.transaction(async (tx) => {
      // Return refusals instead of throwing: the code must stay used.
      const exchanged = await flows.exchange(tx, body.auth_code);
      if (!exchanged?.flow.challenge)
        return new AuthRefusal(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
      if (exchanged.expired)
        return new AuthRefusal(403, 'flow_state_expired', 'invalid flow state, flow state has expired');
      if (!fitsChallenge(body.code_verifier, exchanged.flow.challenge))
        return new AuthRefusal(
          400,
          'bad_code_verifier',
          'code challenge does not match previously saved code verifier',
        );
      const user = await userById(tx, exchanged.userId);
      if (!user || isBanned(user, clock())) return new AuthRefusal(403, 'user_banned', 'User is banned');
      return { ...(await sessions.beginIn(tx, user, exchanged.flow.method, request)), tokens: exchanged.tokens };
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
