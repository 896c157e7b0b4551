import { z } from 'zod';
import { authFaults, authFields, readAccountConfig } from './config/auth.ts';
import { ConfigRefused } from './config/config-refused.ts';
import { contradictions, DEMO_SENDER, missing } from './config/checks.ts';
import { databaseFields, readDatabaseConfig } from './config/database.ts';
import { address, flag, list, type SandboxAddress, text, whole } from './config/fields.ts';
import { idReaderFields, readVisionConfig } from './config/id-reader.ts';
import { keyFaults, keyFields, readSecretConfig } from './config/operating/keys.ts';
import { lockFields, readLockConfig } from './config/locks.ts';
import { hstsFaults, hstsFields, readHstsConfig } from './config/operating/hsts.ts';
import { observeFields, readObserveConfig } from './config/operating/observe.ts';
import { paymentFields, readPaymentConfig } from './config/payments.ts';
import { plugFields, readPlugConfig } from './config/plugs.ts';
import { readRealtimeConfig, realtimeFields } from './config/realtime.ts';
import { withRenamed } from './config/renamed.ts';
import { readRestConfig, restFields } from './config/rest.ts';
import { readSignInConfig, signInFields, type SignInConfig } from './config/sign-in.ts';
import { readStorageConfig, storageFields } from './config/storage.ts';
import { readWalletConfig, walletFaults, walletFields } from './config/wallet.ts';
import { withSecretFiles } from './config/secret-files.ts';
import { unknownVariables } from './config/unknown.ts';
import type { Config } from './config/operating/config.ts';
import { backupFaults, backupFields, readBackupConfig } from './config/operating/backup.ts';

export type { Config };

const schema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production'], 'is development, test or production').default('development'),
  PORT: whole(0, 65_535).default(3000),
  HOST: text.optional(),
  SITE_URL: address.optional(),
  DATA_DIR: text.default('./data'),
  ...databaseFields,
  ...keyFields,
  ...backupFields,
  ...observeFields,
  ...hstsFields,
  API_KEY_REQUIRED: flag.default(false),
  PAYMENT_ANSWER_SECONDS: z.coerce.number().min(0.1).max(30).default(1.5),
  ADMIN_EMAILS: list.pipe(z.array(z.email())).default([]),
  OWNER_EMAIL: z.email().optional(),
  ADMIN_REQUIRES_MFA: flag.default(false),
  DEVELOPER_PAGES: flag.optional(),
  HOLD_MINUTES: z.coerce.number().positive().max(30).optional(),
  RATE_LIMIT_FACTOR: z.coerce.number().positive().max(1_000_000).default(1),
  TRUSTED_PROXIES: whole(0, 10).default(0),
  METRICS_TOKEN: z.string().min(16, 'needs at least 16 characters').optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  ACCESS_LOG: flag.optional(),
  FAILPOINTS: text.optional(),
  ...authFields,
  ...signInFields,
  SANDBOX: z.enum(['on', 'off'], 'is on or off').optional(),
  SANDBOX_PORT: whole(1, 65_520).default(4010),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  ...paymentFields,
  ...lockFields,
  ...idReaderFields,
  ...restFields,
  ...realtimeFields,
  ...plugFields,
  LIGHTS_FOLLOW_SESSIONS: flag.default(true),
  LOCK_CHECK_MINUTES: whole(0, 1440).default(15),
  LEDGER_CHECK_HOURS: whole(0, 168).default(24),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'is not an smtp:// address' }).optional(),
  MAIL_FROM: z.string().min(3).default(DEMO_SENDER),
  ...storageFields,
  ...walletFields,
});
type Environment = z.output<typeof schema>;

/** Reads and checks the environment. Throws `ConfigRefused`. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const warnings: string[] = [];
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const unreadable: string[] = [];
  const variables = withSecretFiles(withRenamed(given, warnings), unreadable);
  const { env, wrong } = parseEnvironment(variables);
  const production = env.NODE_ENV === 'production';
  const sandbox =
    env.SANDBOX === 'on' || (env.SANDBOX === undefined && env.STRIPE_SECRET_KEY === undefined && !production);
  const faults = [
    ...unreadable,
    ...wrong.map(({ fault }) => fault),
    // A variable with a wrong value is not reported as missing too.
    ...missing(env, sandbox).filter((fault) => !wrong.some(({ name }) => fault.startsWith(`${name}:`))),
    ...contradictions(env, production, sandbox),
    ...authFaults(env, production, sandbox),
    ...backupFaults(env),
    ...hstsFaults(env),
    ...keyFaults(env),
    ...walletFaults(env, production),
  ];
  const siteUrl = env.SITE_URL ?? `http://localhost:${env.PORT}`;
  const signIn = readSignInConfig(env, {
    siteUrl,
    environment: variables,
    // Browsers are redirected to this address too, so it needs a host name that they can reach.
    sandbox: sandbox ? `http://localhost:${env.SANDBOX_PORT + 6}` : null,
    production,
    faults,
  });
  const supported = new Set(knownVariables(signIn));
  const unknown = unknownVariables(Object.keys(variables), [...supported]);
  faults.push(...unknown.faults);
  if (faults.length > 0) throw new ConfigRefused(faults);
  warnings.push(...unknown.warnings);
  const settings = Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => supported.has(entry[0]) && entry[0] !== 'BACKUP_PASSPHRASE',
    ),
  );
  return { ...toConfig(env, sandbox), warnings, production, siteUrl, signIn, settings };
}

/** Returns the names of all variables that can be set, including those of the sign-in providers that the operator named. */
function knownVariables({ providers }: SignInConfig): string[] {
  const ofProviders = providers.flatMap(({ name }) =>
    ['CLIENT_ID', 'SECRET', 'ISSUER'].map((end) => `AUTH_${name.toUpperCase()}_${end}`),
  );
  return [...Object.keys(schema.shape), ...ofProviders];
}

function toConfig(
  env: Environment,
  sandbox: boolean,
): Omit<Config, 'warnings' | 'production' | 'siteUrl' | 'signIn' | 'settings'> {
  const at: SandboxAddress = (offset) => `http://${env.SANDBOX_HOST}:${env.SANDBOX_PORT + offset}`;
  const sandboxAt = sandbox ? at : null;
  return {
    port: env.PORT,
    host: env.HOST ?? null,
    dataDir: env.DATA_DIR,
    ...readDatabaseConfig(env),
    keys: readSecretConfig(env),
    backup: readBackupConfig(env),
    observe: readObserveConfig(env),
    hsts: readHstsConfig(env),
    apiKeyRequired: env.API_KEY_REQUIRED,
    idReadSeconds: env.ID_READ_SECONDS,
    paymentAnswerSeconds: env.PAYMENT_ANSWER_SECONDS,
    adminEmails: env.ADMIN_EMAILS.map((email) => email.toLowerCase()),
    ownerEmails: readOwner(env, sandbox),
    developerPages: env.DEVELOPER_PAGES ?? env.NODE_ENV !== 'production',
    holdMinutes: env.HOLD_MINUTES ?? null,
    limitFactor: env.RATE_LIMIT_FACTOR,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN ?? null,
    logLevel: env.LOG_LEVEL,
    accessLog: env.ACCESS_LOG ?? env.NODE_ENV === 'production',
    failpoints: env.FAILPOINTS ?? null,
    auth: readAccountConfig(env, sandbox ? at(7) : null),
    adminRequiresMfa: env.ADMIN_REQUIRES_MFA,
    sandboxUrl: sandbox ? at(0) : null,
    stripe: readPaymentConfig(env, sandboxAt),
    igloohome: readLockConfig(env, sandboxAt),
    vision: readVisionConfig(env, at),
    rest: readRestConfig(env),
    realtime: readRealtimeConfig(env),
    lightsFollow: env.LIGHTS_FOLLOW_SESSIONS,
    lockCheckMinutes: env.LOCK_CHECK_MINUTES,
    ledgerCheckHours: env.LEDGER_CHECK_HOURS,
    plugs: readPlugConfig(env, sandboxAt),
    smtpUrl: env.SMTP_URL ?? `smtp://${env.SANDBOX_HOST}:${env.SANDBOX_PORT + 5}`,
    mailFrom: env.MAIL_FROM,
    storage: readStorageConfig(env),
    wallet: readWalletConfig(env),
  };
}

/** Returns the recipients of job alerts: OWNER_EMAIL, else the admins, else the sandbox's own admin. */
function readOwner(env: Environment, sandbox: boolean): readonly string[] {
  if (env.OWNER_EMAIL !== undefined) return [env.OWNER_EMAIL];
  return env.ADMIN_EMAILS.length === 0 && sandbox ? ['admin@example.com'] : env.ADMIN_EMAILS;
}

/** Parses the environment. A variable with a wrong value counts as unset, so that all faults are reported together. */
function parseEnvironment(environment: Record<string, string | undefined>): {
  env: Environment;
  wrong: { name: string; fault: string }[];
} {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return { env: parsed.data, wrong: [] };
  const wrong = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return { name, fault: `${name}: ${issue.message}` };
  });
  const rest = Object.entries(environment).filter(([name]) => !wrong.some((entry) => entry.name === name));
  return { env: schema.parse(Object.fromEntries(rest)), wrong };
}
