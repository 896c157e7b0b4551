import { describe, expect, test } from 'vitest';
import { providerFaults, readProviders } from './providers.ts';

const SANDBOX = 'http://localhost:4016';
const read = (given: Record<string, string>, names: string[], sandbox: string | null = null) => {
  const faults: string[] = [];
  return { providers: readProviders(given, names, sandbox, faults), faults };
};

describe('identity providers from the environment', () => {
  test('with the sandbox, a name is enough', () => {
    const { providers, faults } = read({}, ['Google', 'github', 'acme'], SANDBOX);
    expect(faults).toEqual([]);
    expect(providers).toMatchObject([
      { name: 'google', clientIds: ['sandbox-google'], issuer: `${SANDBOX}/oidc` },
      { name: 'github', dialect: 'github', siteUrl: `${SANDBOX}/github` },
      { name: 'acme', clientIds: ['sandbox-oidc'], issuer: `${SANDBOX}/oidc` },
    ]);
  });

  test('without the sandbox, presets know their issuer, and each missing variable is reported in one line', () => {
    const given = {
      AUTH_GOOGLE_CLIENT_ID: 'web, phone',
      AUTH_GOOGLE_SECRET: 's',
      AUTH_AZURE_CLIENT_ID: 'm',
      AUTH_AZURE_SECRET: 's',
    };
    const { providers, faults } = read(given, ['google', 'microsoft', 'azure']);
    expect(faults).toEqual([]);
    expect(providers).toMatchObject([
      { name: 'google', clientIds: ['web', 'phone'], issuer: 'https://accounts.google.com' },
      { name: 'azure', issuer: 'https://login.microsoftonline.com/common/v2.0' },
    ]);
    expect(read({}, ['acme']).faults).toEqual([
      'AUTH_ACME_CLIENT_ID: is needed with acme in AUTH_PROVIDERS',
      'AUTH_ACME_SECRET: is needed with acme in AUTH_PROVIDERS',
      'AUTH_ACME_ISSUER: is needed with acme in AUTH_PROVIDERS, as an address',
    ]);
  });

  test('reserved and malformed names are refused', () => {
    for (const name of ['email', 'web3', '__proto__', 'a-b', '1st'])
      expect(read({}, [name], SANDBOX).faults).toEqual([`AUTH_PROVIDERS: ${name} cannot name a provider`]);
    expect(read({}, ['constructor']).providers).toEqual([]);
  });

  test('production refuses sandbox keys and issuers without https', () => {
    const { providers } = read({ AUTH_ACME_ISSUER: 'http://idp.example.com' }, ['acme'], SANDBOX);
    expect(providerFaults(providers)).toEqual([
      'AUTH_ACME_SECRET: is a sandbox key, which production refuses',
      'AUTH_ACME_ISSUER: must begin with https:// in production',
    ]);
  });
});
