import { Hono } from 'hono';
import { readBody, refusal } from '../core/control.ts';
import type { Core } from '../core/core.ts';
import { esc } from '../core/page.ts';
import type { Provider } from '../core/provider.ts';
import { createSaml } from '../saml/saml.ts';
import { type Flavour, showPage, finishAuthorization } from './authorize.ts';
import { createClients } from './clients.ts';
import { discovery, idTokenFor, getIssuer, tokenEndpoint, userinfo } from './endpoints.ts';
import { githubApi, githubToken } from './github.ts';
import { createGrants } from './grants.ts';
import { type Accounts, createAccounts } from '../accounts/accounts.ts';
import { createSigner, type Signer } from './signer.ts';

const OFFSET = 6;

/** Simulates identity providers: OpenID Connect under /oidc, GitHub under /github, SAML 2.0 under /saml. */
export function createOidc(core: Core): Provider {
  const accounts = createAccounts(core);
  const signer = createSigner(core);
  const clients = createClients(core);
  const grants = createGrants(core);
  const issuer = getIssuer(core.getUrl(OFFSET));
  const context = { clients, grants, accounts, signer, issuer };
  const saml = createSaml(core, accounts, signer.privatePem);

  async function page(request: Request, flavour: Flavour): Promise<Response> {
    const url = new URL(request.url);
    if (request.method === 'GET') return showPage(context, flavour, url);
    return finishAuthorization(context, flavour, url, new URLSearchParams(await request.text()));
  }

  async function handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/saml/')) return saml.handle(request);
    if (pathname.startsWith('/github/api')) return githubApi(context, request, pathname.slice('/github/api'.length));
    const posted = request.method === 'POST';
    switch (pathname) {
      case '/oidc/.well-known/openid-configuration':
        return discovery(issuer);
      case '/oidc/jwks':
        return Response.json(signer.jwks());
      case '/oidc/authorize':
        return page(request, 'openid');
      case '/oidc/token':
        return posted ? tokenEndpoint(context, request) : new Response('Use POST', { status: 405 });
      case '/oidc/userinfo':
        return userinfo(context, request);
      case '/github/login/oauth/authorize':
        return page(request, 'plain');
      case '/github/login/oauth/access_token':
        return posted ? githubToken(context, request) : new Response('Use POST', { status: 405 });
      default:
        return Response.json({ error: 'not_found' }, { status: 404 });
    }
  }

  return {
    name: 'oidc',
    offset: OFFSET,
    handle,
    isPage: (request) => /authorize$|^\/saml\/sso/.test(new URL(request.url).pathname),
    control: createControl(accounts, signer).route('/', saml.control),
    panel: () => panel(accounts),
    reset() {
      accounts.reset();
      grants.reset();
    },
  };
}

function createControl(accounts: Accounts, signer: Signer): Hono {
  const api = new Hono();
  const text = (value: unknown, other: string): string => (typeof value === 'string' ? value : other);
  api.get('/people', (c) => c.json(accounts.list()));
  api.post('/people', async (c) => {
    const sent = await readBody(c.req.raw);
    const email = text(sent['email'], '');
    if (!/^\S+@\S+$/.test(email)) return refusal('email is an address');
    return c.json(
      accounts.put({ email, name: text(sent['name'], ''), emailVerified: sent['email_verified'] !== false }),
    );
  });
  // This call returns an id token without a page, as a phone's native sign-in dialog gives it to an app.
  api.post('/id-token', async (c) => {
    const sent = await readBody(c.req.raw);
    const account = accounts.list().find((account) => account.email === sent['email']);
    if (!account) return refusal('no account has this email', 404);
    const nonce = typeof sent['nonce'] === 'string' ? sent['nonce'] : null;
    const seconds = typeof sent['seconds'] === 'number' ? sent['seconds'] : 3_600;
    const client = text(sent['client_id'], 'sandbox-google');
    return c.json({ id_token: await idTokenFor(signer, account, client, nonce, null, seconds) });
  });
  return api;
}

function panel(accounts: Accounts): string {
  const rows = accounts
    .list()
    .map(
      (account) =>
        `<tr><td>${esc(account.name)}</td><td>${esc(account.email)}</td><td>${account.emailVerified ? 'verified' : '<span class="bad">not verified</span>'}</td></tr>`,
    )
    .join('');
  return `<section><h2>Identity provider</h2><p>Accounts that can sign in with “Continue with …” (where <code>AUTH_PROVIDERS</code> names a provider) and by single sign-on; the sign-in page lets you add more.</p><table>${rows}</table></section>`;
}
