import { z } from 'zod';
import { authFaults, authFields, type AuthSettings, readAuthSettings } from './settings/auth.ts';
import { ConfigRefused } from './settings/config-refused.ts';
import { contradictions, DEMO_SENDER, missing } from './settings/checks.ts';
import { readLocks } from './settings/locks.ts';
import { readRestSettings, restFields, type RestSettings } from './settings/rest.ts';
import { readSignInSettings, signInFields, type SignInSettings } from './settings/sign-in.ts';
import { unknownVariables } from './settings/unknown.ts';

/** The server's configuration, read once from the environment. `.env.example` describes each variable. */
export type Config = {
  /** Lines for the operator about unusual settings that do not stop the start. */
  readonly warnings: readonly string[];
  readonly production: boolean;
  readonly port: number;
  readonly host: string | null;
  readonly siteUrl: string;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly poolSize: number;
  readonly jwtSecret: string | null;
  /** Whether a request without a key is refused. Otherwise it is a guest's. */
  readonly apiKeyRequired: boolean;
  /** Time limit for reading one licence photo on this machine. */
  readonly idReadSeconds: number;
  /** How long a customer's request waits for the payment provider. After that the answer says that the payment is still being checked. */
  readonly paymentAnswerSeconds: number;
  readonly adminEmails: readonly string[];
  /** Who gets mails about jobs that keep failing. */
  readonly ownerEmails: readonly string[];
  readonly developerPages: boolean;
  readonly holdMinutes: number;
  readonly limitFactor: number;
  readonly trustedProxies: number;
  /** Bearer that opens /metrics to other machines. */
  readonly metricsToken: string | null;
  readonly logLevel: string;
  readonly failpoints: string | null;
  readonly auth: AuthSettings;
  readonly signIn: SignInSettings;
  /** Staff rights need a session with a second factor. */
  readonly adminRequiresMfa: boolean;
  readonly sandboxUrl: string | null;
  readonly stripe: {
    readonly secretKey: string;
    readonly restrictedKey: string;
    readonly webhookSecret: string;
    readonly apiUrl: string | null;
    /** Whether customers can show their ID on Stripe's own page. */
    readonly hostedChecks: boolean;
    /** Payment methods on offer. */
    readonly methods: readonly string[];
  };
  readonly igloohome: {
    readonly authUrl: string;
    readonly apiUrl: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly bridgeId: string | null;
    readonly mode: 'bridge' | 'hourly' | 'onetime';
    readonly webhookKey: string;
    /** Studio name → lock id. */
    readonly locks: ReadonlyMap<string, string>;
  };
  /** The vision model that reads licences; null: OCR on this machine. */
  readonly vision: {
    readonly protocol: 'openai' | 'anthropic';
    readonly baseUrl: string;
    readonly apiKey: string;
    readonly model: string;
  } | null;
  /** Settings of `/rest/v1`, with PostgREST's names. */
  readonly rest: RestSettings;
  readonly shellyUrl: string;
  readonly smtpUrl: string;
  readonly mailFrom: string;
  readonly storage: {
    /** Largest object in any bucket, in bytes. */
    readonly sizeMax: number;
    /** Where objects are stored; null: on this disk, under `dataDir`. */
    readonly s3: {
      readonly bucket: string;
      /** null: Amazon's own for the region. */
      readonly endpoint: string | null;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      /** Prefix of every key, ending with `/`; '' for none. */
      readonly prefix: string;
      readonly pathStyle: boolean;
    } | null;
  };
};

const flag = z.enum(['true', 'false']).transform((word) => word === 'true');
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);
const address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Payment methods on offer. Money from au_becs_debit takes days. Phone wallets come with card. */
const PAYMENT_METHODS = ['card', 'link', 'afterpay_clearpay', 'zip', 'au_becs_debit'] as const;

const schema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production'], 'is development, test or production').default('development'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).optional(),
  SITE_URL: address.optional(),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'is not a postgres:// address' }).optional(),
  POOL_SIZE: z.coerce.number().int().min(2).max(200).default(10),
  JWT_SECRET: z.string().min(32, 'needs at least 32 characters').optional(),
  API_KEY_REQUIRED: flag.default(false),
  ID_READ_SECONDS: z.coerce.number().int().min(1).max(120).default(15),
  PAYMENT_ANSWER_SECONDS: z.coerce.number().min(0.1).max(30).default(1.5),
  ADMIN_EMAILS: list.pipe(z.array(z.email())).default([]),
  OWNER_EMAIL: z.email().optional(),
  ADMIN_REQUIRES_MFA: flag.default(false),
  DEVELOPER_PAGES: flag.optional(),
  HOLD_MINUTES: z.coerce.number().positive().max(30).default(15),
  RATE_LIMIT_FACTOR: z.coerce.number().positive().max(1_000_000).default(1),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  METRICS_TOKEN: z.string().min(16, 'needs at least 16 characters').optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  FAILPOINTS: z.string().min(1).optional(),
  ...authFields,
  ...signInFields,
  SANDBOX: z.enum(['on', 'off']).optional(),
  SANDBOX_PORT: z.coerce.number().int().min(1).max(65_520).default(4010),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  STRIPE_SECRET_KEY: z.string().min(1).optional(),
  STRIPE_RESTRICTED_KEY: z.string().min(1).optional(),
  HOSTED_ID_CHECKS: flag.optional(),
  STRIPE_WEBHOOK_SECRET: z.string().min(1).optional(),
  STRIPE_API_URL: address.optional(),
  PAYMENT_METHODS: list
    .pipe(z.array(z.enum(PAYMENT_METHODS, { error: `has a method that is none of ${PAYMENT_METHODS.join(', ')}` })))
    .refine((methods) => methods.includes('card'), 'needs card: sessions that start soon cannot wait for the others')
    .default(['card', 'link']),
  IGLOOHOME_CLIENT_ID: z.string().min(1).optional(),
  IGLOOHOME_CLIENT_SECRET: z.string().min(1).optional(),
  IGLOOHOME_AUTH_URL: address.optional(),
  IGLOOHOME_API_URL: address.optional(),
  IGLOOHOME_BRIDGE_ID: z.string().min(1).optional(),
  IGLOOHOME_MODE: z.enum(['bridge', 'hourly', 'onetime']).optional(),
  IGLOOHOME_WEBHOOK_KEY: z.string().min(1).optional(),
  IGLOOHOME_LOCKS: z.string().optional(),
  ID_READER: z.enum(['ocr', 'openai', 'anthropic']).default('ocr'),
  VISION_BASE_URL: address.optional(),
  VISION_API_KEY: z.string().min(1).optional(),
  VISION_MODEL: z.string().min(1).optional(),
  ...restFields,
  SHELLY_URL: address.optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'is not an smtp:// address' }).optional(),
  MAIL_FROM: z.string().min(3).default(DEMO_SENDER),
  ALLOW_LIVE_PAYMENTS_ON_EMBEDDED: flag.default(false),
  STORAGE_FILE_SIZE_LIMIT: z.coerce.number().int().min(10_485_760).max(5_000_000_000).default(52_428_800),
  STORAGE_S3_BUCKET: z.string().min(3).max(63).optional(),
  STORAGE_S3_ENDPOINT: address.optional(),
  STORAGE_S3_REGION: z.string().min(1).default('us-east-1'),
  STORAGE_S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  STORAGE_S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  STORAGE_S3_PREFIX: z
    .string()
    .regex(/^[\w.-]+(\/[\w.-]+)*\/?$/, 'may have letters, digits, ., -, _ and /')
    .transform((text) => text.replace(/\/?$/, '/'))
    .optional(),
  STORAGE_S3_PATH_STYLE: flag.optional(),
});
type Environment = z.output<typeof schema>;

const SANDBOX_LOCKS = 'Studio A=SPA1X0001,Studio B=SPB1X0002,Studio C=SPC1X0003';

/** Reads and checks the environment. Throws `ConfigRefused`. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { env, wrong } = parseEnvironment(variables);
  const production = env.NODE_ENV === 'production';
  const sandbox =
    env.SANDBOX === 'on' || (env.SANDBOX === undefined && env.STRIPE_SECRET_KEY === undefined && !production);
  const faults = [
    ...wrong.map(({ fault }) => fault),
    // A variable with a wrong value is not reported as missing too.
    ...missing(env, sandbox).filter((fault) => !wrong.some(({ name }) => fault.startsWith(`${name}:`))),
    ...contradictions(env, production, sandbox),
    ...authFaults(env, production, sandbox),
  ];
  const at = (offset: number): string => `http://${env.SANDBOX_HOST}:${env.SANDBOX_PORT + offset}`;
  const siteUrl = env.SITE_URL ?? `http://localhost:${env.PORT}`;
  const signIn = readSignInSettings(env, {
    siteUrl,
    environment: variables,
    // Browsers are redirected there too, so it needs a host name that they can reach.
    sandbox: sandbox ? `http://localhost:${env.SANDBOX_PORT + 6}` : null,
    production,
    faults,
  });
  if (faults.length > 0) throw new ConfigRefused(faults);
  const ofProviders = signIn.providers.flatMap(({ name }) =>
    ['CLIENT_ID', 'SECRET', 'ISSUER'].map((end) => `AUTH_${name.toUpperCase()}_${end}`),
  );
  return {
    warnings: unknownVariables(Object.keys(variables), [...Object.keys(schema.shape), ...ofProviders]),
    production,
    port: env.PORT,
    host: env.HOST ?? null,
    siteUrl,
    dataDir: env.DATA_DIR,
    databaseUrl: env.DATABASE_URL ?? null,
    poolSize: env.POOL_SIZE,
    jwtSecret: env.JWT_SECRET ?? null,
    apiKeyRequired: env.API_KEY_REQUIRED,
    idReadSeconds: env.ID_READ_SECONDS,
    paymentAnswerSeconds: env.PAYMENT_ANSWER_SECONDS,
    adminEmails: env.ADMIN_EMAILS.map((email) => email.toLowerCase()),
    ownerEmails: readOwner(env, sandbox),
    developerPages: env.DEVELOPER_PAGES ?? !production,
    holdMinutes: env.HOLD_MINUTES,
    limitFactor: env.RATE_LIMIT_FACTOR,
    trustedProxies: env.TRUSTED_PROXIES,
    metricsToken: env.METRICS_TOKEN ?? null,
    logLevel: env.LOG_LEVEL,
    failpoints: env.FAILPOINTS ?? null,
    auth: readAuthSettings(env, sandbox ? at(7) : null),
    signIn,
    adminRequiresMfa: env.ADMIN_REQUIRES_MFA,
    sandboxUrl: sandbox ? at(0) : null,
    stripe: {
      secretKey: env.STRIPE_SECRET_KEY ?? 'sk_test_sandbox',
      restrictedKey: env.STRIPE_RESTRICTED_KEY ?? env.STRIPE_SECRET_KEY ?? 'rk_test_sandbox',
      webhookSecret: env.STRIPE_WEBHOOK_SECRET ?? 'whsec_sandbox',
      apiUrl: env.STRIPE_API_URL ?? (sandbox ? at(1) : null),
      // Only a restricted key returns birth dates, which a check needs.
      hostedChecks: env.HOSTED_ID_CHECKS ?? (sandbox || env.STRIPE_RESTRICTED_KEY !== undefined),
      methods: [...new Set(env.PAYMENT_METHODS)],
    },
    igloohome: readIgloohome(env, sandbox, at),
    vision:
      env.ID_READER === 'ocr'
        ? null
        : {
            protocol: env.ID_READER,
            baseUrl: env.VISION_BASE_URL ?? `${at(4)}/v1`,
            apiKey: env.VISION_API_KEY ?? 'sandbox-vision',
            model: env.VISION_MODEL ?? 'specimen-reader',
          },
    rest: readRestSettings(env),
    shellyUrl: env.SHELLY_URL ?? `${at(3)}/green-room/rpc`,
    smtpUrl: env.SMTP_URL ?? `smtp://${env.SANDBOX_HOST}:${env.SANDBOX_PORT + 5}`,
    mailFrom: env.MAIL_FROM,
    storage: { sizeMax: env.STORAGE_FILE_SIZE_LIMIT, s3: readS3(env) },
  };
}

/** The address for job alerts: OWNER_EMAIL, else the admins, else the sandbox's own admin. */
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
  const rest = Object.entries(environment).filter(([name]) => !wrong.some((one) => one.name === name));
  return { env: schema.parse(Object.fromEntries(rest)), wrong };
}

function readIgloohome(env: Environment, sandbox: boolean, at: (offset: number) => string): Config['igloohome'] {
  return {
    authUrl: env.IGLOOHOME_AUTH_URL ?? (sandbox ? `${at(2)}/oauth2/token` : 'https://auth.igloohome.co/oauth2/token'),
    apiUrl: env.IGLOOHOME_API_URL ?? (sandbox ? `${at(2)}/igloohome` : 'https://api.igloodeveloper.co/igloohome'),
    clientId: env.IGLOOHOME_CLIENT_ID ?? 'sandbox-client',
    clientSecret: env.IGLOOHOME_CLIENT_SECRET ?? 'sandbox-secret',
    bridgeId: env.IGLOOHOME_BRIDGE_ID ?? (sandbox ? 'EB1X00001' : null),
    mode: env.IGLOOHOME_MODE ?? (sandbox || env.IGLOOHOME_BRIDGE_ID !== undefined ? 'bridge' : 'hourly'),
    webhookKey: env.IGLOOHOME_WEBHOOK_KEY ?? (sandbox ? `${at(0)}/api/doors/webhook-key` : ''),
    locks: new Map(readLocks(env.IGLOOHOME_LOCKS ?? (sandbox ? SANDBOX_LOCKS : '')).pairs),
  };
}

function readS3(env: Environment): Config['storage']['s3'] {
  const [bucket, accessKeyId] = [env.STORAGE_S3_BUCKET, env.STORAGE_S3_ACCESS_KEY_ID];
  const secretAccessKey = env.STORAGE_S3_SECRET_ACCESS_KEY;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) return null;
  return {
    bucket,
    endpoint: env.STORAGE_S3_ENDPOINT ?? null,
    region: env.STORAGE_S3_REGION,
    accessKeyId,
    secretAccessKey,
    prefix: env.STORAGE_S3_PREFIX ?? '',
    // Most services other than Amazon's have no host name per bucket.
    pathStyle: env.STORAGE_S3_PATH_STYLE ?? env.STORAGE_S3_ENDPOINT !== undefined,
  };
}
