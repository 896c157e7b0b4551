import type { Session } from '@supabase/supabase-js';

type Factor = { readonly id: string; readonly type: 'totp' | 'phone' | 'webauthn'; readonly name: string };

/** Returns the verified factors of a session that still needs a second step; empty if it needs none. */
export function wantedFactors(session: Session | null): readonly Factor[] {
  if (session === null || readAssurance(session.access_token) === 'aal2') return [];
  return (session.user.factors ?? []).flatMap(({ id, status, factor_type: type, friendly_name: name }) =>
    status === 'verified' && (type === 'totp' || type === 'phone' || type === 'webauthn')
      ? [{ id, type, name: name ?? '' }]
      : [],
  );
}

/** Reads `aal` from an access token without verifying the token, because only the server decides. */
export function readAssurance(token: string): string | null {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims: unknown = JSON.parse(atob(part));
    return claims !== null && typeof claims === 'object' && 'aal' in claims && typeof claims.aal === 'string'
      ? claims.aal
      : null;
  } catch {
    return null; // It is not a token of this server.
  }
}
