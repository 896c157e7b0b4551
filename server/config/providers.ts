/** An identity provider with which people can sign in. */
export type ProviderConfig = {
  /** The name in API calls, such as `google`. */
  readonly name: string;
  /** The first is our client id. The others belong to apps of the same owner, whose id tokens are accepted too. */
  readonly clientIds: readonly string[];
  readonly clientSecret: string;
} & (
  | {
      readonly dialect: 'openid';
      readonly issuer: string;
      readonly scopes: readonly string[];
      readonly formPost: boolean;
    }
  | { readonly dialect: 'github'; readonly siteUrl: string; readonly apiUrl: string }
);

type Environment = Readonly<Record<string, unknown>>;
type Preset = { readonly issuer: string; readonly scopes: readonly string[]; readonly formPost: boolean };
const SCOPES = ['openid', 'email', 'profile'] as const;
/** Settings of the large providers, under the names that hosted Supabase uses. */
const PRESETS: Readonly<Record<string, Preset>> = {
  google: { issuer: 'https://accounts.google.com', scopes: SCOPES, formPost: false },
  // Apple responds with a form post if the scopes include name or email.
  apple: { issuer: 'https://appleid.apple.com', scopes: ['openid', 'email', 'name'], formPost: true },
  azure: { issuer: 'https://login.microsoftonline.com/common/v2.0', scopes: SCOPES, formPost: false },
};
const ALIASES: ReadonlyMap<string, string> = new Map([['microsoft', 'azure']]);
const NAME = /^[a-z][a-z0-9_]{0,30}$/;
const RESERVED = ['email', 'phone', 'web3', 'anonymous_users', 'captcha'];

/**
 * Reads `AUTH_PROVIDERS` and, for each NAME in it, `AUTH_NAME_CLIENT_ID` (more separated by commas), `AUTH_NAME_SECRET` and, without a
 * preset, `AUTH_NAME_ISSUER`. `sandbox`: address of the simulated provider, or null without a sandbox. Adds a line to `faults` per fault.
 */
export function readProviders(
  environment: Environment,
  names: readonly string[],
  sandbox: string | null,
  faults: string[],
): ProviderConfig[] {
  const variables = new Map(Object.entries(environment));
  return [...new Set(names.map((name) => ALIASES.get(name.toLowerCase()) ?? name.toLowerCase()))].flatMap(
    (name): ProviderConfig[] => {
      if (!NAME.test(name) || RESERVED.includes(name)) {
        faults.push(`AUTH_PROVIDERS: ${name} cannot name a provider`);
        return [];
      }
      const key = (suffix: string): string => `AUTH_${name.toUpperCase()}_${suffix}`;
      const text = (suffix: string, sandboxValue: string | null): string => {
        const value = variables.get(key(suffix));
        if (typeof value === 'string') return value;
        if (sandboxValue === null || sandbox === null)
          faults.push(`${key(suffix)}: is needed with ${name} in AUTH_PROVIDERS`);
        return sandboxValue ?? '';
      };
      const preset = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined;
      const sandboxValue = `sandbox-${preset || name === 'github' ? name : 'oidc'}`;
      const clientIds = text('CLIENT_ID', sandbox && sandboxValue)
        .split(',')
        .map((id) => id.trim());
      const shared = { name, clientIds, clientSecret: text('SECRET', sandbox && 'sandbox-secret') };
      if (name === 'github')
        return [
          {
            ...shared,
            dialect: 'github' as const,
            siteUrl: sandbox === null ? 'https://github.com' : `${sandbox}/github`,
            apiUrl: sandbox === null ? 'https://api.github.com' : `${sandbox}/github/api`,
          },
        ];
      const own = variables.get(key('ISSUER'));
      const issuer = typeof own === 'string' ? own : sandbox === null ? preset?.issuer : `${sandbox}/oidc`;
      if (issuer === undefined || !/^https?:\/\/./.test(issuer) || !URL.canParse(issuer)) {
        faults.push(`${key('ISSUER')}: is needed with ${name} in AUTH_PROVIDERS, as an address`);
        return [];
      }
      const { scopes, formPost } = preset ?? { scopes: SCOPES, formPost: false };
      return [{ ...shared, dialect: 'openid' as const, issuer, scopes, formPost }];
    },
  );
}

/** Lists the provider settings that production refuses. */
export function providerFaults(providers: readonly ProviderConfig[]): string[] {
  return providers.flatMap((provider) => {
    const key = `AUTH_${provider.name.toUpperCase()}`;
    return [
      ...(provider.clientSecret.includes('sandbox')
        ? [`${key}_SECRET: is a sandbox key, which production refuses`]
        : []),
      ...(provider.dialect === 'openid' && !provider.issuer.startsWith('https://')
        ? [`${key}_ISSUER: must begin with https:// in production`]
        : []),
    ];
  });
}
