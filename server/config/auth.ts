import { z } from 'zod';
import { address, flag, isLoopback, text, whole } from './fields.ts';

const seconds = (min: number, max: number, fallback: number) => whole(min, max).default(fallback);
const YEAR = 31_536_000;

/** The environment variables for accounts, spread into the schema in config.ts. */
export const authFields = {
  AUTH_PASSWORD_MIN_LENGTH: whole(6, 64).default(6),
  AUTH_PASSWORD_REQUIRED: z
    .enum(['none', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'])
    .default('none'),
  /** Whether common and breached passwords are refused. */
  AUTH_BREACHED_CHECK: flag.default(true),
  /** A file of breached passwords, plain or as SHA-1, one per line. Without it, only the bundled list is used. */
  AUTH_BREACHED_FILE: text.optional(),
  AUTH_AUTOCONFIRM: flag.default(false),
  AUTH_PHONE_AUTOCONFIRM: flag.default(false),
  AUTH_SIGNUP: flag.default(true),
  AUTH_PHONE: flag.default(false),
  AUTH_ANONYMOUS: flag.default(false),
  AUTH_MANUAL_LINKING: flag.default(false),
  AUTH_DOUBLE_CONFIRM: flag.default(false),
  AUTH_ACCESS_TOKEN_SECONDS: seconds(60, 86_400, 3_600),
  AUTH_CODE_LENGTH: whole(6, 10).default(6),
  AUTH_CODE_SECONDS: seconds(60, 86_400, 600),
  AUTH_MAIL_MIN_SECONDS: seconds(1, 3_600, 60),
  AUTH_REUSE_SECONDS: seconds(0, 600, 10),
  AUTH_SESSION_SECONDS: whole(60, YEAR).optional(),
  AUTH_INACTIVITY_SECONDS: whole(60, YEAR).optional(),
  AUTH_SINGLE_SESSION: flag.default(false),
  AUTH_TEST_OTP: z
    .string()
    .regex(/^\+?\d{7,15}=\d{6,10}(,\+?\d{7,15}=\d{6,10})*$/, 'is a list like 61400000000=123456,…')
    .optional(),
  /** JWKS with private keys. Without it, one key is generated and stored in the data folder. */
  AUTH_SIGNING_KEYS_FILE: text.optional(),
  AUTH_CAPTCHA: z.enum(['turnstile', 'hcaptcha'], 'is turnstile or hcaptcha').optional(),
  AUTH_CAPTCHA_SECRET: text.optional(),
  AUTH_CAPTCHA_URL: address.optional(),
  TWILIO_ACCOUNT_SID: z.string().regex(/^AC/, 'begins with AC').optional(),
  TWILIO_AUTH_TOKEN: text.optional(),
  TWILIO_FROM: z
    .string()
    .regex(/^(\+[1-9]\d{6,14}|MG\w+)$/, 'is a number such as +61400000000, or the id of a messaging service')
    .optional(),
  TWILIO_API_URL: address.optional(),
};
type AuthEnvironment = z.output<z.ZodObject<typeof authFields>>;
/** The operator's account settings: the `AUTH_…` group of `.env.example`. */
export type AccountConfig = Readonly<ReturnType<typeof readAccountConfig>>;

const CAPTCHA_ADDRESS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};

/** Reads the account settings. `sandboxUrl`: address of the simulated text messages and captchas, or null without a sandbox. */
export function readAccountConfig(env: AuthEnvironment, sandboxUrl: string | null) {
  return {
    passwordMinLength: env.AUTH_PASSWORD_MIN_LENGTH,
    passwordRequired: env.AUTH_PASSWORD_REQUIRED,
    breachedCheck: env.AUTH_BREACHED_CHECK,
    breachedFile: env.AUTH_BREACHED_FILE ?? null,
    autoconfirm: env.AUTH_AUTOCONFIRM,
    phoneAutoconfirm: env.AUTH_PHONE_AUTOCONFIRM,
    signupEnabled: env.AUTH_SIGNUP,
    phoneEnabled: env.AUTH_PHONE,
    anonymousEnabled: env.AUTH_ANONYMOUS,
    manualLinking: env.AUTH_MANUAL_LINKING,
    doubleConfirm: env.AUTH_DOUBLE_CONFIRM,
    accessTokenSeconds: env.AUTH_ACCESS_TOKEN_SECONDS,
    codeLength: env.AUTH_CODE_LENGTH,
    codeSeconds: env.AUTH_CODE_SECONDS,
    mailIntervalSeconds: env.AUTH_MAIL_MIN_SECONDS,
    reuseSeconds: env.AUTH_REUSE_SECONDS,
    sessionSeconds: env.AUTH_SESSION_SECONDS ?? null,
    inactivitySeconds: env.AUTH_INACTIVITY_SECONDS ?? null,
    singleSession: env.AUTH_SINGLE_SESSION,
    testCodes: readTestCodes(env.AUTH_TEST_OTP),
    signingKeysFile: env.AUTH_SIGNING_KEYS_FILE ?? null,
    captcha: readCaptcha(env, sandboxUrl),
    sms: {
      accountSid: env.TWILIO_ACCOUNT_SID ?? 'ACsandbox',
      authToken: env.TWILIO_AUTH_TOKEN ?? 'sandbox-token',
      from: env.TWILIO_FROM ?? '+61480000000',
      apiUrl: env.TWILIO_API_URL ?? (sandboxUrl === null ? 'https://api.twilio.com' : sandboxUrl),
    },
  };
}

function readTestCodes(listed: string | undefined): Map<string, string> {
  const pairs = (listed ?? '').split(',').map((part) => part.replace('+', '').split('='));
  return new Map(pairs.flatMap(([phone = '', code = '']) => (phone !== '' && code !== '' ? [[phone, code]] : [])));
}

function readCaptcha(env: AuthEnvironment, sandboxUrl: string | null) {
  const provider = env.AUTH_CAPTCHA;
  if (provider === undefined) return null;
  const defaultUrl = sandboxUrl === null ? CAPTCHA_ADDRESS[provider] : `${sandboxUrl}/${provider}/siteverify`;
  return { provider, secret: env.AUTH_CAPTCHA_SECRET ?? '', url: env.AUTH_CAPTCHA_URL ?? defaultUrl };
}

/** Lists the settings that are missing or not allowed, one line per fault. */
export function authFaults(env: AuthEnvironment, production: boolean, sandbox: boolean): string[] {
  const faults: string[] = [];
  if (!env.AUTH_BREACHED_CHECK && env.AUTH_BREACHED_FILE !== undefined)
    faults.push('AUTH_BREACHED_FILE: is not read with AUTH_BREACHED_CHECK=false');
  if (env.AUTH_CAPTCHA !== undefined && env.AUTH_CAPTCHA_SECRET === undefined)
    faults.push('AUTH_CAPTCHA_SECRET: is needed with AUTH_CAPTCHA');
  if (env.AUTH_PHONE && !sandbox) {
    for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'] as const)
      if (env[name] === undefined) faults.push(`${name}: is needed with AUTH_PHONE=true when the sandbox is off`);
  }
  if (!production) return faults;
  for (const name of ['AUTH_AUTOCONFIRM', 'AUTH_PHONE_AUTOCONFIRM'] as const)
    if (env[name]) faults.push(`${name}: must be off in production`);
  if (env.AUTH_TEST_OTP !== undefined) faults.push('AUTH_TEST_OTP: must be unset in production');
  for (const name of ['TWILIO_API_URL', 'AUTH_CAPTCHA_URL'] as const) {
    const url = env[name];
    if (url !== undefined && isLoopback(url)) faults.push(`${name}: points to this machine, which production refuses`);
  }
  return faults;
}
