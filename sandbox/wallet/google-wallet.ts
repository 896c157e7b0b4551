import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jwtVerify } from 'jose';

/**
 * A simulated Google Wallet: its token service and the calls for generic passes that the server makes. Like Google's service, it accepts
 * only access tokens of the service account, refuses unknown fields, and keeps the first object of an id until it is changed.
 */
export type GoogleWallet = {
  readonly url: string;
  readonly tokenUrl: string;
  /** The stored objects, by id. */
  readonly objects: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Opens the address of a pass as a customer does, and returns the object that the wallet then shows. */
  save(address: string): Promise<Readonly<Record<string, unknown>>>;
  /** Forgets all objects. */
  empty(): void;
  /** Makes the next `times` calls fail with this status. */
  failNext(times: number, status: number): void;
  /** Called before each call for an object, so that a test can delay the call. */
  onCall: (method: string) => Promise<void>;
  close(): Promise<void>;
};

type Answer = { readonly status: number; readonly body: unknown };
type Service = {
  readonly issuerId: string;
  readonly email: string;
  readonly key: KeyObject;
  readonly now: () => Date;
  readonly tokens: Map<string, number>;
  readonly classes: Set<string>;
  readonly objects: Map<string, Readonly<Record<string, unknown>>>;
  failures: { times: number; status: number };
};

const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer';
const TOKEN_SECONDS = 3_599;
const FIELDS = new Set(
  'id classId state cardTitle subheader header hexBackgroundColor textModulesData linksModuleData validTimeInterval'.split(
    ' ',
  ),
);
const STATES = new Set(['STATE_UNSPECIFIED', 'ACTIVE', 'COMPLETED', 'EXPIRED', 'INACTIVE']);

/** Starts the service. `publicKey`: the public key of the service account, as PEM. */
export async function startGoogleWallet(options: {
  issuerId: string;
  email: string;
  publicKey: string;
  now: () => Date;
}): Promise<GoogleWallet> {
  const service: Service = {
    ...options,
    key: createPublicKey(options.publicKey),
    tokens: new Map(),
    classes: new Set(),
    objects: new Map(),
    failures: { times: 0, status: 500 },
  };
  let onCall: GoogleWallet['onCall'] = () => Promise.resolve();
  const server = createServer((request, response) => {
    const answer = async (): Promise<Answer> => {
      const path = request.url ?? '';
      const body = await readBody(request);
      if (path === '/token') return grant(service, request, body, `${url}/token`);
      await onCall(request.method ?? '');
      return call(service, request, path, body);
    };
    void answer()
      .then(({ status, body }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      )
      .catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // The address of a listening TCP server is an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tokenUrl: `${url}/token`,
    objects: service.objects,
    save: (address) => save(service, address),
    empty: () => service.objects.clear(),
    failNext: (times, status) => void (service.failures = { times, status }),
    get onCall() {
      return onCall;
    },
    set onCall(next) {
      onCall = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Returns an access token for a signed assertion (RFC 7523). */
async function grant(service: Service, request: IncomingMessage, body: string, audience: string): Promise<Answer> {
  const refuse = (error: string): Answer => ({ status: 400, body: { error } });
  const form = new URLSearchParams(body);
  if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') return refuse('invalid_request');
  if (form.get('grant_type') !== GRANT) return refuse('unsupported_grant_type');
  const currentDate = service.now();
  try {
    const { payload } = await jwtVerify(form.get('assertion') ?? '', service.key, {
      algorithms: ['RS256'],
      issuer: service.email,
      audience,
      currentDate,
      requiredClaims: ['iat', 'exp'],
      maxTokenAge: '1h',
    });
    if (payload['scope'] !== SCOPE) return refuse('invalid_scope');
    if ((payload.exp ?? 0) - (payload.iat ?? 0) > 3_600) return refuse('invalid_grant');
  } catch {
    return refuse('invalid_grant');
  }
  const token = `ya29.${randomBytes(24).toString('base64url')}`;
  service.tokens.set(token, currentDate.getTime() + TOKEN_SECONDS * 1000);
  return { status: 200, body: { access_token: token, expires_in: TOKEN_SECONDS, token_type: 'Bearer' } };
}

function call(service: Service, request: IncomingMessage, path: string, body: string): Answer {
  const { failures } = service;
  if (failures.times > 0) {
    failures.times -= 1;
    return refusal(failures.status, 'A simulated fault');
  }
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if ((service.tokens.get(token) ?? 0) <= service.now().getTime())
    return refusal(401, 'Request had invalid credentials.');
  const [, kind, id] = /^\/walletobjects\/v1\/(genericClass|genericObject)(?:\/([^/?]+))?$/.exec(path) ?? [];
  if (kind === 'genericClass' && request.method === 'GET' && id !== undefined)
    return service.classes.has(id) ? { status: 200, body: { id } } : refusal(404, `Class ${id} not found.`);
  const value = parse(body);
  if (kind === undefined || value === null || request.headers['content-type'] !== 'application/json')
    return refusal(kind === undefined ? 404 : 400, 'Invalid request.');
  const { method } = request;
  if (kind === 'genericClass' && method === 'POST' && id === undefined) return addClass(service, value);
  if (kind === 'genericObject' && method === 'POST' && id === undefined) return addObject(service, value);
  if (kind === 'genericObject' && method === 'PATCH' && id !== undefined) return changeObject(service, id, value);
  return refusal(404, 'The sandbox does not have this call.');
}

function addClass({ classes, issuerId }: Service, { id, ...more }: Record<string, unknown>): Answer {
  if (typeof id !== 'string' || !id.startsWith(`${issuerId}.`) || Object.keys(more).length > 0)
    return refusal(400, 'Invalid class.');
  if (classes.has(id)) return refusal(409, `Class ${id} already exists.`);
  classes.add(id);
  return { status: 200, body: { id } };
}

function addObject(service: Service, value: Record<string, unknown>): Answer {
  const fault = findFault(service, value);
  if (fault !== null) return fault;
  const id = String(value['id']);
  if (service.objects.has(id)) return refusal(409, `Object ${id} already exists.`);
  service.objects.set(id, value);
  return { status: 200, body: value };
}

function changeObject(service: Service, id: string, change: Record<string, unknown>): Answer {
  const before = service.objects.get(id);
  if (before === undefined) return refusal(404, `Object ${id} not found.`);
  if ('id' in change && change['id'] !== id) return refusal(400, 'The ids differ.');
  const value = { ...before, ...change };
  const fault = findFault(service, value);
  if (fault !== null) return fault;
  service.objects.set(id, value);
  return { status: 200, body: value };
}

function findFault({ classes, issuerId }: Service, value: Record<string, unknown>): Answer | null {
  const unknown = Object.keys(value).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return refusal(400, `Unknown name "${unknown}".`);
  const { id, classId, state, hexBackgroundColor } = value;
  if (typeof id !== 'string' || !id.startsWith(`${issuerId}.`) || !/^[\w.-]+$/.test(id))
    return refusal(400, 'Invalid id.');
  if (typeof classId !== 'string' || !classes.has(classId)) return refusal(404, 'Class not found.');
  if (!STATES.has(String(state))) return refusal(400, 'Invalid state.');
  if (!/^#[\da-f]{6}$/.test(String(hexBackgroundColor))) return refusal(400, 'Invalid color.');
  const texts = ['cardTitle', 'header', 'subheader'].map((name) => getText(value[name]));
  return texts.includes('') ? refusal(400, 'A required text is missing.') : null;
}

/** Returns the text of a localized string, or '' if there is none. */
function getText(value: unknown): string {
  const found = /"defaultValue":\{"language":"[a-z-]+","value":"(.+?)"\}/.exec(JSON.stringify(value ?? null));
  return found?.[1] ?? '';
}

/** Saves a pass as Google does when a customer opens the link: creates the missing class and object, and does not change existing ones. */
async function save(service: Service, address: string): Promise<Readonly<Record<string, unknown>>> {
  const { payload } = await jwtVerify(address.split('/').at(-1) ?? '', service.key, {
    algorithms: ['RS256'],
    issuer: service.email,
    audience: 'google',
    currentDate: service.now(),
  });
  const { genericClasses, genericObjects } = payload['payload'] as Record<string, Record<string, unknown>[]>;
  const [object] = genericObjects ?? [];
  if (payload['typ'] !== 'savetowallet' || object === undefined) throw new Error('the link has no pass');
  for (const genericClass of genericClasses ?? []) addClass(service, genericClass);
  const added = addObject(service, object);
  if (added.status !== 200 && added.status !== 409) throw new Error(JSON.stringify(added.body));
  return service.objects.get(String(object['id'])) ?? {};
}

const refusal = (code: number, message: string): Answer => ({ status: code, body: { error: { code, message } } });

function parse(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return value !== null && typeof value === 'object' ? Object.fromEntries(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
