import { createHash } from 'node:crypto';
import type { Clients } from './clients.ts';
import { fitsChallenge, type Grant, type Grants } from './grants.ts';
import type { Account, Accounts } from '../accounts/accounts.ts';
import { ISSUER_PATH, type Signer } from './signer.ts';

type Context = { clients: Clients; grants: Grants; accounts: Accounts; signer: Signer; issuer: string };
const TOKEN_SECONDS = 3_600;

/** `GET /oidc/.well-known/openid-configuration` (OpenID Connect Discovery 1.0). */
export function discovery(issuer: string): Response {
  return Response.json({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'form_post'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    scopes_supported: ['openid', 'email', 'profile'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    claims_supported: ['sub', 'email', 'email_verified', 'name', 'iss', 'aud', 'exp', 'iat', 'nonce'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  });
}

/** Exchanges a code. Returns the grant, or an error code of RFC 6749. */
export function exchange(
  context: Pick<Context, 'clients' | 'grants'>,
  authorization: string | null,
  form: URLSearchParams,
): Grant | { status: number; error: string } {
  const client = context.clients.authenticate(authorization, form);
  if (client === null) return { status: 401, error: 'invalid_client' };
  if (form.get('grant_type') !== 'authorization_code') return { status: 400, error: 'unsupported_grant_type' };
  const grant = context.grants.take(form.get('code') ?? '');
  const fits =
    grant?.clientId === client &&
    grant.redirectUri === form.get('redirect_uri') &&
    fitsChallenge(form.get('code_verifier'), grant.codeChallenge);
  return fits ? grant : { status: 400, error: 'invalid_grant' };
}

/** `POST /oidc/token` */
export async function tokenEndpoint(context: Context, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  const grant = exchange(context, request.headers.get('authorization'), form);
  const headers = { 'cache-control': 'no-store' };
  if ('error' in grant) return Response.json({ error: grant.error }, { status: grant.status, headers });
  const account = context.accounts.find(grant.sub);
  if (!account) return Response.json({ error: 'invalid_grant' }, { status: 400, headers });
  const accessToken = context.grants.token(form.get('code') ?? '', grant);
  const idToken = await idTokenFor(context.signer, account, grant.clientId, grant.nonce, accessToken);
  return Response.json(
    {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: TOKEN_SECONDS,
      scope: grant.scope,
      id_token: idToken,
    },
    { headers },
  );
}

export function idTokenFor(
  signer: Signer,
  account: Account,
  clientId: string,
  nonce: string | null,
  accessToken: string | null,
  seconds = TOKEN_SECONDS,
): Promise<string> {
  return signer.sign(
    {
      sub: account.sub,
      aud: clientId,
      azp: clientId,
      ...createClaims(account),
      ...(nonce === null ? {} : { nonce }),
      ...(accessToken === null ? {} : { at_hash: halfHash(accessToken) }),
    },
    seconds,
  );
}

/** `GET /oidc/userinfo` */
export function userinfo({ grants, accounts }: Context, request: Request): Response {
  const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const account = accounts.find(grants.read(token)?.sub ?? '');
  return account
    ? Response.json({ sub: account.sub, ...createClaims(account) })
    : Response.json({ error: 'invalid_token' }, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
}

function createClaims(account: Account): Record<string, unknown> {
  const [given = '', ...family] = account.name.split(' ');
  return {
    email: account.email,
    email_verified: account.emailVerified,
    name: account.name,
    given_name: given,
    family_name: family.join(' '),
  };
}

/** Returns the `at_hash` for RS256 (OpenID Connect Core, 3.1.3.6). */
function halfHash(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
}

export const getIssuer = (base: string): string => `${base}${ISSUER_PATH}`;
