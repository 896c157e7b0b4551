import type { AuthContext } from '../core/context.ts';
import type { Operation } from '../core/request.ts';

/** `GET /settings`: which ways in are open. */
export function createSettings({ config, ssoProviders, providers }: AuthContext): Operation {
  return (c) =>
    Promise.resolve(
      c.json({
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
      }),
    );
}
