import { AuthRefusal } from '../core/errors.ts';
import type { AuthContext } from '../core/context.ts';

/** Refuses the call if no SAML provider is configured. */
export function requireSso({ ssoProviders }: AuthContext): void {
  if (ssoProviders.length === 0) throw new AuthRefusal(404, 'saml_provider_disabled', 'SAML 2.0 is disabled');
}
