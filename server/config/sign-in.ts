import { z } from 'zod';
import { flag, list, text, whole } from './fields.ts';
import { providerFaults, readProviders } from './providers.ts';

/** The environment variables for sign-in methods, spread into the schema in config.ts. */
export const signInFields = {
  AUTH_MFA_TOTP: flag.default(true),
  AUTH_MFA_PHONE: flag.default(false),
  AUTH_MFA_WEBAUTHN: flag.default(true),
  AUTH_MFA_MAX: whole(1, 30).default(10),
  AUTH_MFA_CHALLENGE_SECONDS: whole(30, 3_600).default(300),
  AUTH_PASSKEYS: flag.default(true),
  AUTH_PASSKEYS_MAX: whole(1, 50).default(10),
  AUTH_WEBAUTHN_RP_ID: z
    .string()
    .regex(/^[a-z0-9.-]+$/, 'is a domain')
    .optional(),
  AUTH_WEBAUTHN_ORIGINS: list.pipe(z.array(z.url())).optional(),
  AUTH_REDIRECTS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(/^[a-z][a-z0-9+.-]*:\/\/(?!\*\*)[^/]*[a-z0-9]/i, 'lists addresses such as https://app.example.com/**'),
      ),
    )
    .default([]),
  AUTH_PROVIDERS: list.default([]),
  AUTH_WEB3: list.pipe(z.array(z.enum(['ethereum', 'solana']))).default([]),
  AUTH_SAML: flag.default(false),
  AUTH_SAML_FILE: text.optional(),
};
type SignInEnvironment = z.output<z.ZodObject<typeof signInFields>>;
/** The operator's settings of sign-in methods: the groups of `.env.example` from `AUTH_MFA…` and `AUTH_PASSKEYS…` on. */
export type SignInConfig = Readonly<ReturnType<typeof readSignInConfig>>;

/**
 * Reads the sign-in settings. `environment`: all variables, because the operator chooses the names of providers. `sandbox`: address of the
 * simulated identity provider, or null without a sandbox. Adds a line to `faults` per setting that is missing or not allowed.
 */
export function readSignInConfig(
  env: SignInEnvironment,
  context: {
    siteUrl: string;
    environment: Readonly<Record<string, unknown>>;
    sandbox: string | null;
    production: boolean;
    faults: string[];
  },
) {
  const { siteUrl, faults } = context;
  faults.push(...signInFaults(env));
  const providers = readProviders(context.environment, env.AUTH_PROVIDERS, context.sandbox, faults);
  if (context.production) faults.push(...providerFaults(providers));
  return {
    factors: {
      totp: env.AUTH_MFA_TOTP,
      phone: env.AUTH_MFA_PHONE,
      webauthn: env.AUTH_MFA_WEBAUTHN,
      max: env.AUTH_MFA_MAX,
      challengeSeconds: env.AUTH_MFA_CHALLENGE_SECONDS,
    },
    passkeys: { enabled: env.AUTH_PASSKEYS, max: env.AUTH_PASSKEYS_MAX },
    relyingParty: {
      id: env.AUTH_WEBAUTHN_RP_ID ?? new URL(siteUrl).hostname,
      origins: (env.AUTH_WEBAUTHN_ORIGINS ?? [siteUrl]).map((origin) => new URL(origin).origin),
    },
    redirects: env.AUTH_REDIRECTS,
    providers,
    chains: env.AUTH_WEB3,
    saml: readSaml(env, context.sandbox, faults),
  };
}

/**
 * The source of the SAML identity providers: a file, or the simulated provider at the address `sandbox`. Null if there is no single
 * sign-on.
 */
type SamlSettings = { readonly file: string } | { readonly sandbox: string } | null;

function readSaml(env: SignInEnvironment, sandbox: string | null, faults: string[]): SamlSettings {
  if (!env.AUTH_SAML) return null;
  if (env.AUTH_SAML_FILE !== undefined) return { file: env.AUTH_SAML_FILE };
  if (sandbox === null) faults.push('AUTH_SAML_FILE: is needed with AUTH_SAML=true when the sandbox is off');
  return sandbox === null ? null : { sandbox };
}

/** Lists the settings that contradict each other, one line per fault. */
function signInFaults(env: SignInEnvironment): string[] {
  const faults: string[] = [];
  const rpId = env.AUTH_WEBAUTHN_RP_ID;
  for (const origin of env.AUTH_WEBAUTHN_ORIGINS ?? []) {
    const { hostname } = new URL(origin);
    if (rpId !== undefined && hostname !== rpId && !hostname.endsWith(`.${rpId}`))
      faults.push(`AUTH_WEBAUTHN_ORIGINS: ${origin} does not belong to ${rpId} (AUTH_WEBAUTHN_RP_ID)`);
  }
  return faults;
}
