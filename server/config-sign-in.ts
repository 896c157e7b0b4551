import { z } from 'zod';

/** What the operator decides about proofs beyond a password: the `AUTH_MFA…`, `AUTH_PASSKEYS…` and following groups of `.env.example`. */
export type SignInSettings = {
  readonly factors: {
    readonly totp: boolean;
    readonly phone: boolean;
    readonly webauthn: boolean;
    readonly max: number;
    readonly challengeSeconds: number;
  };
  readonly passkeys: { readonly enabled: boolean; readonly max: number };
  readonly relyingParty: { readonly id: string; readonly origins: readonly string[] };
};

const flag = z.enum(['true', 'false']).transform((word) => word === 'true');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

/** The fields of the environment, to be spread into the one schema of it. */
export const signInFields = {
  AUTH_MFA_TOTP: flag.default(true),
  AUTH_MFA_PHONE: flag.default(false),
  AUTH_MFA_WEBAUTHN: flag.default(true),
  AUTH_MFA_MAX: z.coerce.number().int().min(1).max(30).default(10),
  AUTH_MFA_CHALLENGE_SECONDS: z.coerce.number().int().min(30).max(3_600).default(300),
  AUTH_PASSKEYS: flag.default(true),
  AUTH_PASSKEYS_MAX: z.coerce.number().int().min(1).max(50).default(10),
  AUTH_WEBAUTHN_RP_ID: z
    .string()
    .regex(/^[a-z0-9.-]+$/, 'is a domain')
    .optional(),
  AUTH_WEBAUTHN_ORIGINS: list.pipe(z.array(z.url())).optional(),
};
type SignInEnvironment = z.output<z.ZodObject<typeof signInFields>>;

/** `siteUrl`: the address people open. */
export function readSignInSettings(env: SignInEnvironment, siteUrl: string): SignInSettings {
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
  };
}

/** One line per setting that cannot be run with. */
export function signInFaults(env: SignInEnvironment): string[] {
  const faults: string[] = [];
  const party = env.AUTH_WEBAUTHN_RP_ID;
  for (const origin of env.AUTH_WEBAUTHN_ORIGINS ?? []) {
    const { hostname } = new URL(origin);
    if (party !== undefined && hostname !== party && !hostname.endsWith(`.${party}`))
      faults.push(`AUTH_WEBAUTHN_ORIGINS: ${origin} is not of ${party} (AUTH_WEBAUTHN_RP_ID)`);
  }
  return faults;
}
