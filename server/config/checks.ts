import { namesSeveralHosts } from '#server/db/postgres/address.ts';
import { isLoopback } from './fields.ts';
import { readLockMap } from './lock-map.ts';
import { plugFaults } from './plugs.ts';
import { storageFaults } from './storage.ts';

/** The environment variables that are checked together. Each check returns one line per fault, which begins with the variable's name. */
export type CheckedEnvironment = {
  readonly [
    name in
      | 'STRIPE_SECRET_KEY'
      | 'STRIPE_RESTRICTED_KEY'
      | 'STRIPE_WEBHOOK_SECRET'
      | 'STRIPE_API_URL'
      | 'IGLOOHOME_CLIENT_ID'
      | 'IGLOOHOME_CLIENT_SECRET'
      | 'IGLOOHOME_LOCKS'
      | 'IGLOOHOME_MODE'
      | 'IGLOOHOME_BRIDGE_ID'
      | 'IGLOOHOME_WEBHOOK_KEY'
      | 'IGLOOHOME_API_URL'
      | 'IGLOOHOME_AUTH_URL'
      | 'SHELLY_URL'
      | 'SHELLY_PLUGS'
      | 'SMTP_URL'
      | 'SITE_URL'
      | 'DATABASE_URL'
      | 'DATABASE_DIRECT_URL'
      | 'DATABASE_REPLICA_URL'
      | 'VISION_BASE_URL'
      | 'VISION_API_KEY'
      | 'VISION_MODEL'
      | 'FAILPOINTS'
      | 'STORAGE_S3_BUCKET'
      | 'STORAGE_S3_ACCESS_KEY_ID'
      | 'STORAGE_S3_SECRET_ACCESS_KEY'
      | 'STORAGE_S3_ENDPOINT'
      | 'STORAGE_S3_PREFIX'
  ]?: string | undefined;
} & {
  readonly ID_READER: string;
  readonly MAIL_FROM: string;
  readonly RATE_LIMIT_FACTOR: number;
  readonly WORKERS: number;
  readonly DATABASE_POOL_MODE: 'session' | 'transaction';
  readonly ALLOW_LIVE_PAYMENTS_ON_EMBEDDED: boolean;
};

/** The default sender of mails, for the sandbox. Production needs the operator's own sender. */
export const DEMO_SENDER = '24/7 DJ Studios <hello@example.com>';

/** Lists the variables that are needed without the sandbox. */
export function missing(env: CheckedEnvironment, sandbox: boolean): string[] {
  if (sandbox) return [];
  const needed = [
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'IGLOOHOME_CLIENT_ID',
    'IGLOOHOME_CLIENT_SECRET',
    'IGLOOHOME_LOCKS',
    'SMTP_URL',
    'SITE_URL',
  ] as const;
  return needed.filter((name) => env[name] === undefined).map((name) => `${name}: is needed when the sandbox is off`);
}

/** Lists the settings that contradict each other or are not allowed in production. */
export function contradictions(env: CheckedEnvironment, production: boolean, sandbox: boolean): string[] {
  const faults: string[] = [...keyFaults(env), ...lockMapFaults(env.IGLOOHOME_LOCKS), ...plugFaults(env)];
  if (env.ID_READER !== 'ocr' && !sandbox) {
    for (const name of ['VISION_BASE_URL', 'VISION_API_KEY', 'VISION_MODEL'] as const) {
      if (env[name] === undefined) faults.push(`${name}: is needed with ID_READER=${env.ID_READER}`);
    }
  }
  faults.push(...storageFaults(env));
  faults.push(...hostFaults(env), ...poolerFaults(env));
  if (env.DATABASE_REPLICA_URL !== undefined && env.DATABASE_URL === undefined)
    faults.push('DATABASE_REPLICA_URL: needs DATABASE_URL, the server that it follows');
  if (env.WORKERS > 1 && env.DATABASE_URL === undefined)
    faults.push('WORKERS: more than one process needs DATABASE_URL; one process has the embedded database open');
  const live = /^[sr]k_live_/.test(env.STRIPE_SECRET_KEY ?? '');
  if (env.IGLOOHOME_MODE === 'bridge' && env.IGLOOHOME_BRIDGE_ID === undefined && !sandbox)
    faults.push('IGLOOHOME_MODE: bridge needs IGLOOHOME_BRIDGE_ID');
  if (live && sandbox) faults.push('SANDBOX: cannot be on with a live STRIPE_SECRET_KEY');
  if (live && env.DATABASE_URL === undefined && !env.ALLOW_LIVE_PAYMENTS_ON_EMBEDDED) {
    faults.push(
      'DATABASE_URL: live card payments need PostgreSQL; ALLOW_LIVE_PAYMENTS_ON_EMBEDDED=true accepts that a power cut may lose the last moments',
    );
  }
  return production ? [...faults, ...productionFaults(env, sandbox)] : faults;
}

function hostFaults(env: CheckedEnvironment): string[] {
  return (['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'] as const)
    .filter((name) => namesSeveralHosts(env[name] ?? ''))
    .map((name) => `${name}: names several hosts; deploy/haproxy.cfg shows how to reach them at one address`);
}

function poolerFaults({
  DATABASE_POOL_MODE: mode,
  DATABASE_URL: url,
  DATABASE_DIRECT_URL: direct,
}: CheckedEnvironment) {
  if (mode === 'session')
    return direct === undefined ? [] : ['DATABASE_DIRECT_URL: is used with DATABASE_POOL_MODE=transaction only'];
  if (url === undefined) return ['DATABASE_POOL_MODE: transaction needs DATABASE_URL, the address of the pooler'];
  return direct === undefined
    ? ['DATABASE_DIRECT_URL: is needed with DATABASE_POOL_MODE=transaction, for migrations and notifications']
    : [];
}

/** Finds publishable keys (pk_…). They are public, so one given as a secret key can only be a mistake. */
function keyFaults(env: CheckedEnvironment): string[] {
  return (['STRIPE_SECRET_KEY', 'STRIPE_RESTRICTED_KEY'] as const)
    .filter((name) => env[name]?.startsWith('pk_') === true)
    .map(
      (name) => `${name}: is a publishable key (pk_…), not a secret one (${name.includes('SECRET') ? 'sk' : 'rk'}_…)`,
    );
}

/** Checks the lock map. A lock may serve only one studio, because its codes would open both. */
function lockMapFaults(text: string | undefined): string[] {
  const { pairs, malformed } = readLockMap(text ?? '');
  const duplicates = (values: readonly string[]): string[] => [
    ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
  ];
  return [
    ...malformed.map((part) => `IGLOOHOME_LOCKS: ${JSON.stringify(part)} is not studio=lock`),
    ...duplicates(pairs.map(([studio]) => studio)).map((studio) => `IGLOOHOME_LOCKS: names ${studio} twice`),
    ...duplicates(pairs.map(([, lock]) => lock)).map(
      (lock) => `IGLOOHOME_LOCKS: gives the lock ${lock} to two studios`,
    ),
  ];
}

function productionFaults(env: CheckedEnvironment, sandbox: boolean): string[] {
  const faults: string[] = [];
  if (sandbox) faults.push('SANDBOX: cannot be on in production');
  if (env.RATE_LIMIT_FACTOR !== 1) faults.push('RATE_LIMIT_FACTOR: must be 1 in production');
  if (env.FAILPOINTS !== undefined) faults.push('FAILPOINTS: must be unset in production');
  for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'IGLOOHOME_CLIENT_SECRET'] as const) {
    if (env[name]?.includes('sandbox')) faults.push(`${name}: is a sandbox key, which production refuses`);
  }
  for (const name of [
    'STRIPE_API_URL',
    'IGLOOHOME_API_URL',
    'IGLOOHOME_AUTH_URL',
    'SMTP_URL',
    'SITE_URL',
    'STORAGE_S3_ENDPOINT',
  ] as const) {
    const url = env[name];
    if (url !== undefined && isLoopback(url)) faults.push(`${name}: points to this machine, which production refuses`);
  }
  if (!sandbox && env.IGLOOHOME_WEBHOOK_KEY === undefined)
    faults.push('IGLOOHOME_WEBHOOK_KEY: is needed in production');
  if (env.MAIL_FROM === DEMO_SENDER || /@(?:[\w-]+\.)*example\.(?:com|net|org)\b/i.test(env.MAIL_FROM))
    faults.push('MAIL_FROM: must be an address of yours in production, not the sender of the demo');
  return [...faults, ...siteFaults(env.SITE_URL)];
}

/** Checks SITE_URL. Mail links and the payment provider's return addresses begin with it, and the APIs are at its root. */
function siteFaults(siteUrl: string | undefined): string[] {
  if (siteUrl === undefined) return [];
  const { protocol, pathname, search, hash } = new URL(siteUrl);
  return [
    ...(protocol === 'https:' ? [] : ['SITE_URL: must begin with https:// in production']),
    ...(pathname === '/' && search === '' && hash === '' ? [] : ['SITE_URL: must have no path in production']),
  ];
}
