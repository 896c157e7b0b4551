import type { Session } from '@supabase/supabase-js';

type Factor = { readonly id: string; readonly type: 'totp' | 'phone' | 'webauthn'; readonly name: string };

/** The factors somebody has to show one of before their session counts in full; none when they have none, or have shown it. */
export function wantedFactors(session: Session | null): readonly Factor[] {
  if (session === null || levelOf(session.access_token) === 'aal2') return [];
  return (session.user.factors ?? []).flatMap(({ id, status, factor_type: type, friendly_name: name }) =>
    status === 'verified' && (type === 'totp' || type === 'phone' || type === 'webauthn')
      ? [{ id, type, name: name ?? '' }]
      : [],
  );
}

/** `aal` of an access token, unchecked: the server decides, this only asks. */
function levelOf(token: string): unknown {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims: unknown = JSON.parse(atob(part));
    return claims !== null && typeof claims === 'object' && 'aal' in claims ? claims.aal : null;
  } catch {
    return null; // no token of ours
  }
}
