import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The form that the provider's sign-in page posts: the person, and how the response deviates from a correct one. */
export type SignOn = {
  readonly email: string;
  /** Default: our server. */
  readonly audience?: string;
  /** The signed elements. Default: the assertion. */
  readonly signed?: 'assertion' | 'both' | 'response';
  /** Whether the response is signed with another key than that of the certificate that we have. */
  readonly otherKey?: 'true';
  readonly algorithm?: 'sha1';
};

export type SamlPeer = {
  readonly entityId: string;
  readonly ssoUrl: string;
  /** The certificate of the provider's key, as PEM. */
  readonly certificate: string;
  /** Registers our server by its metadata. Call it once, before the first request. */
  register(metadata: string): void;
  close(): Promise<void>;
};

/** The parts of samlify that are used here. Its own types add those of the DOM to the program, which conflict with those of Node. */
type Samlify = {
  setSchemaValidator(validator: { validate: () => Promise<string> }): void;
  ServiceProvider(settings: { metadata: string; wantMessageSigned: boolean }): ServiceProvider;
  IdentityProvider(settings: object): Provider;
  readonly SamlLib: {
    readonly defaultLoginResponseTemplate: { readonly context: string };
    replaceTagsByValue(xml: string, tags: Readonly<Record<string, string>>): string;
  };
};
type ServiceProvider = {
  readonly entityMeta: { getEntityID(): string; getAssertionConsumerService(binding: 'post'): string };
};
type LoginRequest = {
  readonly extract: {
    readonly issuer: string;
    readonly request: { id: string; destination: string; assertionConsumerServiceUrl: string };
  };
};
type Provider = {
  parseLoginRequest(from: ServiceProvider, binding: 'redirect', request: { query: object }): Promise<LoginRequest>;
  createLoginResponse(
    to: ServiceProvider,
    request: LoginRequest,
    binding: 'post',
    user: object,
    fill: (template: string) => { id: string; context: string },
  ): Promise<{ context: string }>;
};
type Key = { readonly privateKey: string; readonly certificate: string };

const require = createRequire(import.meta.url);
const samlify: Samlify = require('samlify');
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';

// samlify requires a validator. The existing ones need Java or a compiler, and this test reads only requests of our own server.
samlify.setSchemaValidator({ validate: () => Promise.resolve('not validated') });

/** Starts an identity provider made with samlify on its own port. It answers each posted sign-on with a form for our server. */
export async function startSamlPeer(): Promise<SamlPeer> {
  const keys = { own: createKey(), other: createKey() };
  let metadata = '';
  const server = createServer((request, response) => {
    createPage(request, entityId, metadata, keys).then(
      (page) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      (error: unknown) => void response.writeHead(400).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, resolve));
  const url = `http://localhost:${Object(server.address()).port}`;
  const entityId = `${url}/metadata`;
  return {
    entityId,
    ssoUrl: `${url}/sso`,
    certificate: keys.own.certificate,
    register: (text) => void (metadata = text),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Reads our request in the form of the HTTP-Redirect binding, and returns the page that posts the response (HTTP-POST binding). */
async function createPage(
  request: IncomingMessage,
  entityId: string,
  metadata: string,
  keys: { own: Key; other: Key },
): Promise<string> {
  const url = new URL(request.url ?? '', entityId);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const signed = form.get('signed') ?? 'assertion';
  const serviceProvider = samlify.ServiceProvider({
    metadata: signed === 'response' ? metadata.replace('WantAssertionsSigned="true"', '') : metadata,
    wantMessageSigned: signed !== 'assertion',
  });
  const key = form.has('otherKey') ? keys.other : keys.own;
  const provider = createProvider(entityId, url, key, form.get('algorithm') === 'sha1');
  const query = Object.fromEntries(url.searchParams);
  const { extract } = await provider.parseLoginRequest(serviceProvider, 'redirect', { query });
  const acs = serviceProvider.entityMeta.getAssertionConsumerService('post');
  const { id, destination, assertionConsumerServiceUrl } = extract.request;
  if (extract.issuer !== serviceProvider.entityMeta.getEntityID()) throw new Error('an unknown service provider');
  if (destination !== `${url.origin}/sso`) throw new Error(`a request for ${destination}`);
  if (assertionConsumerServiceUrl !== acs) throw new Error(`${assertionConsumerServiceUrl} is not registered`);
  const tags = {
    ...createTags(entityId, acs, id, form.get('email') ?? ''),
    Audience: form.get('audience') ?? serviceProvider.entityMeta.getEntityID(),
  };
  const { context } = await provider.createLoginResponse(serviceProvider, { extract }, 'post', {}, (template) => ({
    id: tags.ID,
    context: samlify.SamlLib.replaceTagsByValue(template, tags),
  }));
  return `<form method="post" action="${acs}"><input type="hidden" name="SAMLResponse" value="${context}"><input type="hidden" name="RelayState" value="${query['RelayState']}"></form>`;
}

function createProvider(entityId: string, url: URL, key: Key, weak: boolean): Provider {
  const attribute = (name: string, valueTag: string) => ({
    name,
    valueTag,
    nameFormat: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
    valueXsiType: 'xs:string',
  });
  return samlify.IdentityProvider({
    entityID: entityId,
    privateKey: key.privateKey,
    signingCert: key.certificate,
    nameIDFormat: [PERSISTENT],
    singleSignOnService: [{ Binding: REDIRECT, Location: `${url.origin}/sso` }],
    singleLogoutService: [{ Binding: REDIRECT, Location: `${url.origin}/slo` }],
    requestSignatureAlgorithm: weak ? RSA_SHA1 : RSA_SHA256,
    loginResponseTemplate: {
      context: samlify.SamlLib.defaultLoginResponseTemplate.context,
      attributes: [attribute('mail', 'email'), attribute('displayName', 'name')],
    },
  });
}

function createTags(entityId: string, acs: string, requestId: string, email: string) {
  const now = Date.now();
  const soon = new Date(now + 300_000).toISOString();
  return {
    ID: `_response-${now}`,
    AssertionID: `_assertion-${now}-${Math.random()}`,
    IssueInstant: new Date(now).toISOString(),
    Issuer: entityId,
    Destination: acs,
    InResponseTo: requestId,
    StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success',
    NameIDFormat: PERSISTENT,
    NameID: `id of ${email}`,
    SubjectRecipient: acs,
    SubjectConfirmationDataNotOnOrAfter: soon,
    ConditionsNotBefore: new Date(now).toISOString(),
    ConditionsNotOnOrAfter: soon,
    AuthnStatement: '',
    attrEmail: email,
    attrName: 'Lee Employee',
  };
}

/** Creates a key with a self-signed certificate. */
function createKey(): Key {
  const folder = mkdtempSync(join(tmpdir(), 'saml-'));
  const options = '-x509 -nodes -newkey rsa:2048 -days 2 -subj /CN=provider -keyout key.pem -out certificate.pem';
  const { status, stderr } = spawnSync('openssl', ['req', ...options.split(' ')], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`no certificate: ${stderr}`);
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const key = { privateKey: read('key.pem'), certificate: read('certificate.pem') };
  rmSync(folder, { recursive: true });
  return key;
}
