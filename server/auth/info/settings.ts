import type { Call } from '../core/request.ts';
import type { AuthContext } from '../core/context.ts';

/** `GET /settings`: the sign-in methods that are enabled. */
export function settings({ config, ssoProviders, providers }: AuthContext, c: Call): Response {
  return c.json({
    external: {
      email: true,
      phone: config.phoneEnabled,
      anonymous_users: config.anonymousEnabled,
      ...Object.fromEntries([...providers.keys()].map((name) => [name, true])),
    },
    disable_signup: !config.signupEnabled,
    mailer_autoconfirm: config.autoconfirm,
    phone_autoconfirm: config.phoneAutoconfirm,
    sms_provider: config.phoneEnabled ? 'twilio' : '',
    mfa_enabled: Object.values(config.factors).includes(true),
    passkeys_enabled: config.passkeys.enabled,
    saml_enabled: ssoProviders.length > 0,
  });
}
