import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';
import { createWalker, type Step } from '#tests/support/browser-walk.ts';

export type Person = { readonly email: string; readonly name: string; readonly verified: boolean };

export const SECRET = 'a secret that only the two servers share';
/** The clients of the provider: our server, an app of the same owner, whose id tokens our server accepts, and an app of another owner. */
export const CLIENTS = { server: 'our-server', app: 'our-app', foreign: 'foreign-app' } as const;
/** All peers sign with the same key, as Microsoft's tenants do: their id tokens differ only in the issuer. */
const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const APP_PAGE = 'https://app.example.com/back';
const VERIFIER = 'v'.repeat(64);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

export type OpenIdPeer = {
  readonly issuer: string;
  /** Registers our server with its redirect address. Call it once, before the first request. */
  register(redirectUri: string): void;
  /** Signs a person in at the provider and returns the address to which it redirects the browser. Null: the person refuses. */
  signIn(authorizationUrl: string, person: Person | null): Promise<string>;
  /** Signs a person in at the provider and returns the page with the form that the browser posts to us (`response_mode=form_post`). */
  signInByForm(authorizationUrl: string, person: Person): Promise<string>;
  /** Signs a person in to an app and returns the tokens that the app receives. */
  issueTokens(
    app: 'app' | 'foreign',
    person: Person,
    nonce: string,
  ): Promise<{ id_token: string; access_token: string }>;
  close(): Promise<void>;
};

/**
 * Starts `oidc-provider`, which is certified by the OpenID Foundation, on its own port. `claimsInIdToken`: whether id tokens contain the
 * claims of the scopes. By default only the userinfo endpoint returns them (OpenID Connect Core, 5.4).
 */
export async function startOpenIdPeer({ claimsInIdToken }: { claimsInIdToken: boolean }): Promise<OpenIdPeer> {
  let handle: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  const issuer = `http://localhost:${Object(server.address()).port}`;
  const people = new Map<string, Person>();

  async function answer(authorizationUrl: string, person: Person | null): Promise<Step> {
    const walk = createWalker('10.6.0.1');
    const page = await walk.go(authorizationUrl);
    if (page.location === null) throw new Error(`the provider refused the request: ${page.page}`);
    if (person !== null) people.set(person.email, person);
    const signedIn = await walk.go(page.location, { method: 'POST', form: { email: person?.email ?? '' } });
    return walk.go(signedIn.location ?? '');
  }
  const signIn: OpenIdPeer['signIn'] = async (url, person) => (await answer(url, person)).location ?? '';

  return {
    issuer,
    register(redirectUri) {
      handle = createListener(issuer, redirectUri, people, claimsInIdToken);
    },
    signIn,
    signInByForm: async (url, person) => (await answer(url, person)).page,
    async issueTokens(app, person, nonce) {
      const parameters = {
        client_id: CLIENTS[app],
        redirect_uri: APP_PAGE,
        response_type: 'code',
        scope: 'openid email profile',
        nonce,
        code_challenge: CHALLENGE,
        code_challenge_method: 'S256',
      };
      const back = await signIn(`${issuer}/auth?${new URLSearchParams(parameters).toString()}`, person);
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: CLIENTS[app],
        client_secret: SECRET,
        redirect_uri: APP_PAGE,
        code: new URL(back).searchParams.get('code') ?? '',
        code_verifier: VERIFIER,
      });
      const response = await fetch(`${issuer}/token`, { method: 'POST', body });
      if (!response.ok) throw new Error(`no tokens: ${await response.text()}`);
      return Object(await response.json());
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function createListener(
  issuer: string,
  redirectUri: string,
  people: ReadonlyMap<string, Person>,
  claimsInIdToken: boolean,
): RequestListener {
  const client = (name: keyof typeof CLIENTS, page: string) => ({
    client_id: CLIENTS[name],
    client_secret: SECRET,
    redirect_uris: [page],
    token_endpoint_auth_method: 'client_secret_post' as const,
  });
  // The provider warns that it stores its records in memory.
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const provider = new Provider(issuer, {
    clients: [client('server', redirectUri), client('app', APP_PAGE), client('foreign', APP_PAGE)],
    jwks: { keys: [{ ...KEY, alg: 'RS256', use: 'sig', kid: 'first' }] },
    cookies: { keys: ['signs the cookies of the provider'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    conformIdTokenClaims: !claimsInIdToken,
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount(_, id) {
      const person = people.get(id);
      if (!person) return undefined;
      const { email, name, verified } = person;
      return { accountId: id, claims: () => ({ sub: id, email, email_verified: verified, name }) };
    },
    // Signing in also gives consent.
    async loadExistingGrant({ oidc: { provider: self, client: of, session } }) {
      const grant = new self.Grant({ clientId: of?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  warn.mockRestore();
  const callback = provider.callback();
  return (request, response) =>
    void (request.url?.startsWith('/interaction/') ? finish(provider, request, response) : callback(request, response));
}

/** Handles the form of the sign-in page. */
async function finish(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const email = new URLSearchParams(Buffer.concat(chunks).toString()).get('email');
  const result = email ? { login: { accountId: email } } : { error: 'access_denied', error_description: 'No, thanks' };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}
