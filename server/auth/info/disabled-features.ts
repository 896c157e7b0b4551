import { AuthRefusal, refuse } from '../core/errors.ts';
import type { Call } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/** Refuses calls of the OAuth server, which this server does not offer, with Supabase Auth's error. */
export function refuseOauthServer(): never {
  throw new AuthRefusal(404, 'feature_disabled', 'OAuth server is disabled');
}

/** Refuses admin calls that this server does not offer. Only callers with the service key may learn which these are. */
export async function refuseAdminCall({ readCaller }: AuthContext, c: Call): Promise<never> {
  const caller = await readCaller(c.req.raw, c.var.ip);
  if (caller.role !== 'service_role') throw refuse.notAdmin();
  throw new AuthRefusal(404, 'feature_disabled', 'This admin call is not supported');
}
