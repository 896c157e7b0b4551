import { z } from 'zod';
import type { Transaction } from '#server/db/database.ts';
import { isBanned, userById } from '../accounts/users.ts';
import { AuthRefusal, refuse } from '../core/errors.ts';
import { authLimits, takeLimit } from '../core/limits.ts';
import { type Call, readBody, readRequestInfo, type RequestInfo } from '../core/request.ts';
import { exchangeFlow, type ProviderTokens } from '../external/flows.ts';
import { matchesChallenge } from '../external/pkce.ts';
import { type BegunSession, beginSessionIn } from '../sessions/begin.ts';
import type { AuthContext } from '../core/context.ts';

const schema = z.object({ auth_code: z.string().min(1).max(200), code_verifier: z.string().min(1).max(200) });
type Body = z.output<typeof schema>;

/**
 * `POST /token?grant_type=pkce`: exchanges the code of a sign-in for its session, if the client has the verifier. A code works only once.
 */
export async function exchangeCode(context: AuthContext, c: Call): Promise<Response> {
  const { db, sessions } = context;
  const body = await readBody(c, schema);
  const request = readRequestInfo(c);
  await takeLimit(context, authLimits.verifyIp, `ip:${request.ip}`);
  const exchanged = await db.transaction((tx) => exchangeIn(context, tx, body, request));
  if (exchanged instanceof AuthRefusal) throw exchanged;
  const { begun, tokens } = exchanged;
  sessions.forget(begun.ended);
  return c.json({ ...begun.response, ...(tokens && toProviderTokens(tokens)) });
}

/** Returns refusals instead of throwing them, so that the code stays used. */
async function exchangeIn(
  context: AuthContext,
  tx: Transaction,
  body: Body,
  request: RequestInfo,
): Promise<{ begun: BegunSession; tokens: ProviderTokens | null } | AuthRefusal> {
  const exchanged = await exchangeFlow(context, tx, body.auth_code);
  if (!exchanged?.flow.challenge)
    return new AuthRefusal(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found');
  const { flow, tokens, userId } = exchanged;
  if (exchanged.expired)
    return new AuthRefusal(403, 'flow_state_expired', 'invalid flow state, flow state has expired');
  if (!matchesChallenge(body.code_verifier, exchanged.flow.challenge))
    return new AuthRefusal(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier');
  const user = await userById(tx, userId);
  if (!user || isBanned(user, context.clock())) return refuse.banned(403);
  return { begun: await beginSessionIn(context, tx, user, flow.method, request), tokens };
}

function toProviderTokens({ access, refresh }: ProviderTokens): Record<string, string> {
  return { provider_token: access, ...(refresh === null ? {} : { provider_refresh_token: refresh }) };
}
