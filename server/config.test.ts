import { describe, expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { ConfigRefused } from './config/config-refused.ts';

/** A complete production environment. Each test changes one variable. */
const PRODUCTION = {
  NODE_ENV: 'production',
  SITE_URL: 'https://studio.example.net',
  STRIPE_SECRET_KEY: 'sk_test_51Abc',
  STRIPE_WEBHOOK_SECRET: 'whsec_abc',
  IGLOOHOME_CLIENT_ID: 'client',
  IGLOOHOME_CLIENT_SECRET: 'secret',
  IGLOOHOME_WEBHOOK_KEY: 'https://keys.igloohome.test/webhook',
  IGLOOHOME_LOCKS: 'Studio A=L1,Studio B=L2',
  SHELLY_URL: 'http://10.0.0.7/rpc',
  SMTP_URL: 'smtp://mail.studio.test',
  MAIL_FROM: 'Studio <hello@studio.test>',
};
const getFaults = (env: Record<string, string | undefined>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigRefused) return error.faults;
    throw error;
  }
};

describe('the configuration', () => {
  test('is accepted for a complete production, and for the sandbox without any variable', () => {
    expect(getFaults(PRODUCTION)).toEqual([]);
    expect(getFaults({})).toEqual([]);
    expect(readConfig(PRODUCTION).igloohome.locks).toEqual(
      new Map(Object.entries({ 'Studio A': 'L1', 'Studio B': 'L2' })),
    );
  });

  test('names plugs beside the one for all rooms', () => {
    expect(
      readConfig({ ...PRODUCTION, SHELLY_PLUGS: 'Hall=http://10.0.0.8/rpc?a=b, Loft = http://10.0.0.9/rpc' }).plugs,
    ).toEqual(
      new Map([
        ['', 'http://10.0.0.7/rpc'],
        ['Hall', 'http://10.0.0.8/rpc?a=b'],
        ['Loft', 'http://10.0.0.9/rpc'],
      ]),
    );
    expect([...readConfig({ SHELLY_URL: 'http://10.0.0.7/rpc' }).plugs.keys()]).toEqual(['']);
    expect([...readConfig({}).plugs.keys()]).toEqual(['', 'Studio A', 'Studio B', 'Studio C']);
  });

  test.each([
    [{ NODE_ENV: 'prod' }, 'NODE_ENV: is development, test or production'],
    [{ PORT: 'nine' }, 'PORT: is not a whole number from 0 to 65535'],
    [{ PORT: '65536' }, 'PORT: is not a whole number from 0 to 65535'],
    [{ SITE_URL: 'studio.example.net' }, 'SITE_URL: is not an address with http:// or https://'],
    [{ AUTH_PHONE: 'yes' }, 'AUTH_PHONE: is true or false'],
    [{ STRIPE_SECRET_KEY: 'pk_live_abc' }, 'STRIPE_SECRET_KEY: is a publishable key (pk_…), not a secret one (sk_…)'],
    [
      { STRIPE_RESTRICTED_KEY: 'pk_test_abc' },
      'STRIPE_RESTRICTED_KEY: is a publishable key (pk_…), not a secret one (rk_…)',
    ],
    [{ IGLOOHOME_LOCKS: 'Studio A=L1,Studio B=L1' }, 'IGLOOHOME_LOCKS: gives the lock L1 to two studios'],
    [{ IGLOOHOME_LOCKS: 'Studio A=L1,Studio A=L2' }, 'IGLOOHOME_LOCKS: names Studio A twice'],
    [{ IGLOOHOME_LOCKS: 'Studio A=L1,Studio B' }, 'IGLOOHOME_LOCKS: "Studio B" is not studio=lock'],
    [{ SHELLY_PLUGS: 'Hall=http://a/rpc,Hall=http://b/rpc' }, 'SHELLY_PLUGS: names Hall twice'],
    [{ SHELLY_PLUGS: 'Hall=http://10.0.0.7/rpc/' }, 'SHELLY_PLUGS: gives http://10.0.0.7/rpc two names'],
    [{ SHELLY_PLUGS: 'Hall=file:///etc/passwd' }, 'SHELLY_PLUGS: "Hall=file:///etc/passwd" is not name=http://address'],
    [{ SITE_URL: 'http://studio.example.net' }, 'SITE_URL: must begin with https:// in production'],
    [{ SITE_URL: 'https://studio.example.net/app' }, 'SITE_URL: must have no path in production'],
    [{ IGLOOHOME_WEBHOOK_KEY: undefined }, 'IGLOOHOME_WEBHOOK_KEY: is needed in production'],
    [{ MAIL_FROM: undefined }, 'MAIL_FROM: must be an address of yours in production, not the sender of the demo'],
    [
      { MAIL_FROM: 'Us <us@example.com>' },
      'MAIL_FROM: must be an address of yours in production, not the sender of the demo',
    ],
    [{ METRICS_TOKEN: 'short' }, 'METRICS_TOKEN: needs at least 16 characters'],
    [
      { AUTH_BREACHED_CHECK: 'false', AUTH_BREACHED_FILE: '/lists/breached' },
      'AUTH_BREACHED_FILE: is not read with AUTH_BREACHED_CHECK=false',
    ],
  ])('with %j is refused with one line', (change, fault) => {
    expect(getFaults({ ...PRODUCTION, ...change })).toEqual([fault]);
  });

  test.each([
    [
      { DATABASE_POOL_MODE: 'transaction', DATABASE_URL: 'postgres://owner@localhost:6432/studio' },
      'DATABASE_DIRECT_URL: is needed with DATABASE_POOL_MODE=transaction, for migrations and notifications',
    ],
    [
      { DATABASE_POOL_MODE: 'transaction', DATABASE_DIRECT_URL: 'postgres://owner@localhost/studio' },
      'DATABASE_POOL_MODE: transaction needs DATABASE_URL, the address of the pooler',
    ],
    [
      { DATABASE_URL: 'postgres://owner@localhost/studio', DATABASE_DIRECT_URL: 'postgres://owner@localhost/studio' },
      'DATABASE_DIRECT_URL: is used with DATABASE_POOL_MODE=transaction only',
    ],
  ])('of a pooler without both addresses is refused: %j', (change, fault) => {
    expect(getFaults(change)).toEqual([fault]);
  });

  test.each(['postgres://owner:password@one:5432,two:5432/studio', 'postgres://owner@/studio?host=one,two'])(
    'of a database with several hosts is refused with one line: %s',
    (severalHosts) => {
      const oneHost = 'postgres://owner:a,b@[::1]:6432/studio?target_session_attrs=read-write';
      const urls = { DATABASE_URL: oneHost, DATABASE_DIRECT_URL: oneHost, DATABASE_REPLICA_URL: oneHost };
      const others = { DATABASE_POOL_MODE: 'transaction', WORKERS: '2' };
      expect(getFaults({ ...others, ...urls })).toEqual([]);
      for (const name of Object.keys(urls))
        expect(getFaults({ ...others, ...urls, [name]: severalHosts })).toEqual([
          `${name}: names several hosts; deploy/haproxy.cfg shows how to reach them at one address`,
        ]);
    },
  );

  test('with several processes on the embedded database is refused', () => {
    expect(getFaults({ WORKERS: '2' })).toEqual([
      'WORKERS: more than one process needs DATABASE_URL; one process has the embedded database open',
    ]);
    expect(getFaults({ WORKERS: '2', DATABASE_URL: 'postgres://owner@localhost/studio' })).toEqual([]);
  });

  test('with several faults is refused with all of them at once', () => {
    const faults = getFaults({
      ...PRODUCTION,
      HOLD_MINUTES: 'soon',
      STRIPE_SECRET_KEY: 'pk_live_abc',
      IGLOOHOME_LOCKS: 'Studio A=L1,Studio B=L1',
      SITE_URL: 'http://studio.example.net/app',
      SMTP_URL: 'mail.example.net',
      MAIL_FROM: undefined,
    });
    expect(faults.map((fault) => fault.split(':')[0]).join(' ')).toBe(
      'HOLD_MINUTES SMTP_URL STRIPE_SECRET_KEY IGLOOHOME_LOCKS MAIL_FROM SITE_URL SITE_URL',
    );
  });

  test('outside production, SITE_URL may have http and a path, and mails the demo sender', () => {
    expect(getFaults({ SITE_URL: 'http://192.168.1.20:3000' })).toEqual([]);
  });

  test('reads a renamed variable under its earlier name, with a warning', () => {
    const { auth, warnings } = readConfig({ PASSWORD_MIN_LENGTH: '9', ACCESS_TOKEN_SECONDS: '90', AUTOCONFIRM: '' });
    expect([auth.passwordMinLength, auth.accessTokenSeconds]).toEqual([9, 90]);
    expect(warnings).toEqual([
      'ACCESS_TOKEN_SECONDS: is now called AUTH_ACCESS_TOKEN_SECONDS',
      'PASSWORD_MIN_LENGTH: is now called AUTH_PASSWORD_MIN_LENGTH',
    ]);
    const both = readConfig({ PASSWORD_MIN_LENGTH: '9', AUTH_PASSWORD_MIN_LENGTH: '10' });
    expect(both.auth.passwordMinLength).toBe(10);
    expect(both.warnings).toEqual([
      'PASSWORD_MIN_LENGTH: is now called AUTH_PASSWORD_MIN_LENGTH, which is set too and counts',
    ]);
    expect(getFaults({ PASSWORD_MIN_LENGTH: 'long' })[0]).toContain('AUTH_PASSWORD_MIN_LENGTH');
  });

  test('logs requests in production, and elsewhere when ACCESS_LOG says so', () => {
    expect([readConfig({}).accessLog, readConfig(PRODUCTION).accessLog]).toEqual([false, true]);
    expect(readConfig({ ACCESS_LOG: 'true' }).accessLog).toBe(true);
    expect(readConfig({ ...PRODUCTION, ACCESS_LOG: 'false' }).accessLog).toBe(false);
  });

  test('with an unknown variable that has one of our prefixes is refused, with the nearest name', () => {
    const env = {
      AUTH_PASWORD_MIN_LENGTH: '8',
      REST_GUEST_PER_MIN: '5',
      STRIPE_WEBHOOK_SECRETT: 'whsec_x',
      IGLOOHOME_LOCK: 'x',
      PATH: '/bin',
      AUTH_PROVIDERS: 'acme',
      AUTH_ACME_SECRET: 'x',
      STORAGE_NOTHING_LIKE_ANYTHING: '1',
    };
    const faults = getFaults(env);
    expect(faults).toEqual(
      expect.arrayContaining([
        'STRIPE_WEBHOOK_SECRETT: is not a setting; did you mean STRIPE_WEBHOOK_SECRET?',
        'AUTH_PASWORD_MIN_LENGTH: is not a setting; did you mean AUTH_PASSWORD_MIN_LENGTH?',
        'IGLOOHOME_LOCK: is not a setting; did you mean IGLOOHOME_LOCKS?',
        'STORAGE_NOTHING_LIKE_ANYTHING: is not a setting',
      ]),
    );
    expect(new Set(faults.map((line) => line.split(':')[0]))).toEqual(
      new Set(Object.keys(env).filter((name) => !['PATH', 'AUTH_PROVIDERS', 'AUTH_ACME_SECRET'].includes(name))),
    );
  });

  test('warns of another variable that is one edit away from a setting', () => {
    const env = {
      PROT: '4000',
      DATABSE_URL: 'x',
      LOG_LEVEL_: 'info',
      HOME: '/root',
      PWD: '/',
      USER: 'studio',
      LANG: 'C',
    };
    expect(readConfig(env).warnings).toEqual([
      'PROT: is not a setting; did you mean PORT?',
      'DATABSE_URL: is not a setting; did you mean DATABASE_URL?',
      'LOG_LEVEL_: is not a setting; did you mean LOG_LEVEL?',
    ]);
  });

  test('needs no plug', () => {
    const { plugs } = readConfig({ ...PRODUCTION, SHELLY_URL: undefined });
    expect([...plugs]).toEqual([]);
    const named = readConfig({ ...PRODUCTION, SHELLY_URL: undefined, SHELLY_PLUGS: 'Hall=http://10.0.0.8/rpc' }).plugs;
    expect([...named]).toEqual([['Hall', 'http://10.0.0.8/rpc']]);
  });

  test('has HSTS of two years for this host alone by default, and the rest only where its settings say so', () => {
    expect(readConfig(PRODUCTION).hsts).toEqual({ seconds: 63_072_000, subdomains: false, preload: false });
    const listed = { ...PRODUCTION, HSTS_SUBDOMAINS: 'true', HSTS_PRELOAD: 'true', HSTS_SECONDS: '31536000' };
    expect(readConfig(listed).hsts).toEqual({ seconds: 31_536_000, subdomains: true, preload: true });
    for (const change of [{ HSTS_SUBDOMAINS: 'false' }, { HSTS_SECONDS: '31535999' }])
      expect(getFaults({ ...listed, ...change })).toEqual([
        'HSTS_PRELOAD: needs HSTS_SUBDOMAINS=true and HSTS_SECONDS of at least 31536000',
      ]);
  });
});
