import { z } from 'zod';

const secret = z.string().min(32, 'needs at least 32 characters').optional();

/** The environment variables for the server's keys, spread into the schema in config.ts. */
export const keyFields = {
  APP_SECRET: secret,
  APP_SECRET_PREVIOUS: secret,
  JWT_SECRET: secret,
  JWT_SECRET_PREVIOUS: secret,
};
type KeyEnvironment = z.output<z.ZodObject<typeof keyFields>>;

/** See `KeyConfig` in server/crypto/keys.ts. */
export type SecretConfig = {
  readonly appSecret: string | null;
  readonly previousAppSecret: string | null;
  readonly jwtSecret: string | null;
  readonly previousJwtSecret: string | null;
};

export function readSecretConfig(env: KeyEnvironment): SecretConfig {
  return {
    appSecret: env.APP_SECRET ?? null,
    previousAppSecret: env.APP_SECRET_PREVIOUS ?? null,
    jwtSecret: env.JWT_SECRET ?? null,
    previousJwtSecret: env.JWT_SECRET_PREVIOUS ?? null,
  };
}

/** Lists the faults of the settings, one line each. */
export function keyFaults(env: KeyEnvironment): string[] {
  return (['APP_SECRET', 'JWT_SECRET'] as const)
    .filter((name) => env[`${name}_PREVIOUS`] !== undefined && env[name] === env[`${name}_PREVIOUS`])
    .map((name) => `${name}_PREVIOUS: is the same as ${name}; set the previous value, or remove it`);
}
