import { AuthRefusal } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

/** Refuses the call when there is no SAML provider. */
export function requireSso({ ssoProviders }: AuthContext): void {
  if (ssoProviders.length === 0) throw new AuthRefusal(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}
