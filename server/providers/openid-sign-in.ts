import { createHash } from 'node:crypto';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretPost,
  type Configuration,
  discovery,
  fetchUserInfo,
} from 'openid-client';
import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';
import type { IdToken, ProviderUser, SignInProvider } from './ports.ts';

export type OpenIdConfig = {
  readonly name: string;
  readonly issuer: string;
  /** The first is this site's own id. The others are apps of the same owner, whose id tokens are accepted too. */
  readonly clientIds: readonly string[];
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly formPost: boolean;
};

const SIGNED_BY = ['RS256', 'PS256', 'ES256', 'EdDSA'];
const LEEWAY_SECONDS = 60;
type Claims = Readonly<Record<string, unknown>>;

/** Signs in with any OpenID Connect provider (Core 1.0) that has a discovery document. */
export function createOpenIdSignIn(settings: OpenIdConfig): SignInProvider {
  const { name, redirectUri } = settings;
  const [clientId = ''] = settings.clientIds;
  const findConfiguration = cacheSuccess(() => discover(settings, clientId));

  return {
    name,
    formPost: settings.formPost,
    async startUrl({ state, nonce, verifier, scopes, extra }) {
      const allScopes = new Set(
        [...settings.scopes, ...(scopes ?? '').split(/[\s,]+/)].filter((scope) => scope !== ''),
      );
      const parameters = {
        ...extra,
        redirect_uri: redirectUri,
        scope: [...allScopes].join(' '),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(settings.formPost ? { response_mode: 'form_post' } : {}),
      };
      return withProviderErrors(name, async () => buildAuthorizationUrl(await findConfiguration(), parameters).href);
    },
    async redeem({ state, nonce, verifier, response }) {
      const url = new URL(redirectUri);
      url.search = response.toString();
      const tokens = await withProviderErrors(name, async () =>
        authorizationCodeGrant(await findConfiguration(), url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        }),
      );
      const claims = tokens.claims();
      if (!claims) throw new ProviderError(name, 'no_id_token', { retryable: false });
      return {
        user: await withEmail(name, await findConfiguration(), readUser(claims), tokens.access_token),
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? null,
      };
    },
    readIdToken: createIdTokenReader(settings, findConfiguration),
  };
}

function createIdTokenReader(
  settings: OpenIdConfig,
  findConfiguration: () => Promise<Configuration>,
): (idToken: string, accessToken: string | null) => Promise<IdToken | null> {
  const keys = cacheSuccess(async () => {
    const { jwks_uri: uri } = (await findConfiguration()).serverMetadata();
    if (uri === undefined || !URL.canParse(uri))
      throw new ProviderError(settings.name, 'no_jwks_uri', { retryable: false });
    return createRemoteJWKSet(new URL(uri), { timeoutDuration: PROVIDER_TIMEOUT_MS });
  });
  return async (idToken, accessToken) => {
    const { issuer } = (await findConfiguration()).serverMetadata();
    const keySet = await keys();
    const verified = await jwtVerify(idToken, keySet, {
      algorithms: SIGNED_BY,
      audience: [...settings.clientIds],
      // For its shared endpoint Microsoft puts the user's tenant into the issuer, which is compared below.
      ...(issuer.includes('{tenantid}') ? {} : { issuer }),
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: LEEWAY_SECONDS,
      maxTokenAge: '1h',
    }).catch((error: unknown) => {
      if (isUnreachable(error)) throw new ProviderError(settings.name, 'no_response', { retryable: true }, error);
      return null; // forged, from another issuer, for another app, or expired
    });
    if (!verified) return null;
    const { payload, protectedHeader } = verified;
    const tenant = payload['tid'];
    const expected = typeof tenant === 'string' ? issuer.replace('{tenantid}', tenant) : issuer;
    if (payload.iss !== expected || typeof payload.sub !== 'string' || payload.sub === '') return null;
    const atHash = payload['at_hash'];
    if (
      accessToken !== null &&
      typeof atHash === 'string' &&
      atHash !== accessTokenHash(accessToken, protectedHeader.alg)
    )
      return null;
    const user =
      accessToken === null
        ? readUser(payload)
        : await withEmail(settings.name, await findConfiguration(), readUser(payload), accessToken).catch(
            nullIfRefused,
          );
    if (user === null) return null;
    const nonce = payload['nonce'];
    return {
      user,
      nonce: typeof nonce === 'string' ? nonce : null,
      expiresAt: new Date(((payload.exp ?? 0) + LEEWAY_SECONDS) * 1000),
    };
  };
}

async function discover(settings: OpenIdConfig, clientId: string): Promise<Configuration> {
  const issuer = new URL(settings.issuer);
  return withProviderErrors(settings.name, () =>
    discovery(issuer, clientId, {}, ClientSecretPost(settings.clientSecret), {
      timeout: PROVIDER_TIMEOUT_MS / 1000,
      // This only serves the sandbox: in production the configuration refuses plain HTTP.
      execute: issuer.protocol === 'http:' ? [allowInsecureRequests] : [],
    }),
  );
}

/** Caches the result of a lookup, but not its failure. */
function cacheSuccess<T>(lookUp: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | null = null;
  return () => {
    cached ??= lookUp().catch((error: unknown) => {
      cached = null;
      throw error;
    });
    return cached;
  };
}

/** Turns errors into `ProviderError`: retryable if the provider was unreachable, not retryable if its response is invalid. */
async function withProviderErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const unreachable = isUnreachable(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'refused';
    throw new ProviderError(name, unreachable ? 'no_response' : code, { retryable: unreachable }, error);
  }
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    error.name === 'TimeoutError' ||
    ['OAUTH_TIMEOUT', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'].includes(code) ||
    (error instanceof TypeError && /fetch failed/.test(error.message)) ||
    (error.cause instanceof Error && isUnreachable(error.cause))
  );
}

function readUser(claims: Claims): ProviderUser {
  const text = (name: 'sub' | 'email'): string | null => (typeof claims[name] === 'string' ? claims[name] : null);
  // Microsoft sends no email_verified; its xms_edov states that the address belongs to the tenant.
  const verified = [claims['email_verified'], claims['xms_edov']].some((claim) =>
    [true, 'true', 1, '1'].includes(claim as never),
  );
  const copied = ['iss', 'name', 'given_name', 'family_name', 'picture', 'locale', 'hd', 'preferred_username'] as const;
  return {
    subject: text('sub') ?? '',
    email: text('email')?.trim().toLowerCase() ?? null,
    emailVerified: verified,
    claims: Object.fromEntries(copied.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]]))),
  };
}

/**
 * Adds the email address from the userinfo endpoint if the id token has none: after a code, a provider may return the claims of the scopes
 * there (OpenID Connect Core, 5.4). The address and its verification come from the same response. Throws if that response is about another
 * subject.
 */
async function withEmail(
  name: string,
  configuration: Configuration,
  user: ProviderUser,
  accessToken: string,
): Promise<ProviderUser> {
  if (user.email !== null || configuration.serverMetadata().userinfo_endpoint === undefined) return user;
  const { email, emailVerified, claims } = readUser(
    await withProviderErrors(name, () => fetchUserInfo(configuration, accessToken, user.subject)),
  );
  return { ...user, email, emailVerified, claims: { ...claims, ...user.claims } };
}

/** Returns null if the provider refused the access token. Throws if it did not respond. */
function nullIfRefused(error: unknown): null {
  if (error instanceof ProviderError && !error.retryable) return null;
  throw error;
}

/** Computes `at_hash` (OpenID Connect Core, 3.1.3.6). */
function accessTokenHash(token: string, alg: string): string {
  const hash = createHash(alg === 'EdDSA' ? 'sha512' : `sha${alg.slice(-3)}`)
    .update(token)
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}
