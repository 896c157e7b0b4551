import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkSignature, type Credentials, type Fault } from './signature.ts';

/**
 * A simulated S3 service with one bucket in memory. It uses path-style addresses and requires signed requests. It implements the calls that
 * the server uses and answers all others with NotImplemented. Like Amazon's service, it requires a length and checks the hash of the body.
 */
export type ObjectService = {
  readonly url: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** The bytes of all stored objects, by key. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
  /** Makes the next `times` requests fail with this status. */
  failNext(times: number, status: number): void;
  close(): Promise<void>;
};

const BUCKET = 'studio-files';
const KNOWN_QUERY = new Set(['x-id', 'list-type', 'prefix', 'max-keys', 'continuation-token']);
const PAGE_SIZE = 1_000;

type StoredObject = { readonly bytes: Buffer; readonly at: Date };
type Service = {
  readonly credentials: Credentials;
  readonly objects: Map<string, StoredObject>;
  readonly pageSize: number;
  failures: { times: number; status: number };
};
/** A request whose signature and hash are checked. */
type Call = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: Buffer };

export async function startObjectService(options: { pageSize?: number } = {}): Promise<ObjectService> {
  const service: Service = {
    credentials: { accessKeyId: 'AKIDSANDBOX', secretAccessKey: 'sandbox-object-secret', region: 'us-east-1' },
    objects: new Map(),
    pageSize: options.pageSize ?? PAGE_SIZE,
    failures: { times: 0, status: 500 },
  };
  const server = createServer((request, response) => {
    void handle(service, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    // The address of a listening TCP server is an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: BUCKET,
    credentials: service.credentials,
    get objects() {
      return new Map([...service.objects].map(([key, { bytes }]) => [key, bytes]));
    },
    failNext: (times, status) => void (service.failures = { times, status }),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function handle(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  const { failures } = service;
  if (failures.times > 0) {
    failures.times -= 1;
    return refuse(response, failures.status, 'InternalError', 'A simulated fault');
  }
  const fault = checkSignature(request, service.credentials) ?? checkHash(request, body);
  if (fault) return refuse(response, fault.status, fault.code, fault.message);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
  const [, bucket = '', ...rest] = pathname.split('/');
  if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket', 'The specified bucket does not exist');
  if ([...searchParams.keys()].some((name) => !KNOWN_QUERY.has(name))) return notImplemented(response);
  const key = decodeURIComponent(rest.join('/'));
  if (key !== '') return handleObject(service.objects, key, { request, response, body });
  return request.method === 'GET' ? list(service, response, searchParams) : notImplemented(response);
}

function checkHash(request: IncomingMessage, body: Buffer): Fault | null {
  const hash = String(request.headers['x-amz-content-sha256']);
  if (hash === 'UNSIGNED-PAYLOAD') return null;
  if (!/^[0-9a-f]{64}$/.test(hash))
    return { status: 501, code: 'NotImplemented', message: 'Chunked signatures are not implemented' };
  if (createHash('sha256').update(body).digest('hex') === hash) return null;
  return { status: 400, code: 'XAmzContentSHA256Mismatch', message: 'The body is not what was signed' };
}

/** Stores, copies, deletes or sends one object. */
function handleObject(objects: Map<string, StoredObject>, key: string, call: Call): void {
  const { request, response, body } = call;
  const source = request.headers['x-amz-copy-source'];
  if (request.method === 'PUT' && source !== undefined) return copy(objects, key, String(source), response);
  if (request.method === 'PUT') {
    if (request.headers['content-length'] === undefined)
      return refuse(response, 411, 'MissingContentLength', 'You must provide the Content-Length HTTP header');
    objects.set(key, { bytes: body, at: new Date() });
    return void response.writeHead(200, { etag: getEtag(body) }).end();
  }
  if (request.method === 'DELETE') {
    objects.delete(key);
    return void response.writeHead(204).end();
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refuse(response, 405, 'MethodNotAllowed', 'The method is not allowed against this resource');
  const found = objects.get(key);
  if (!found) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist');
  return sendObject(request, response, found);
}

function copy(objects: Map<string, StoredObject>, key: string, source: string, response: ServerResponse): void {
  const found = objects.get(decodeURIComponent(source.replace(/^\//, '')).replace(`${BUCKET}/`, ''));
  if (!found) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist');
  const at = new Date();
  objects.set(key, { bytes: found.bytes, at });
  return xml(response, 200, `<CopyObjectResult><LastModified>${at.toISOString()}</LastModified></CopyObjectResult>`);
}

function list({ objects, pageSize }: Service, response: ServerResponse, query: URLSearchParams): void {
  if (query.get('list-type') !== '2') return notImplemented(response);
  const max = Math.min(Number(query.get('max-keys') ?? PAGE_SIZE), pageSize);
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? '';
  const matching = [...objects]
    .filter(([key]) => key.startsWith(prefix) && key > after)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const page = matching.slice(0, max);
  const contents = page.map(
    ([key, { bytes, at }]) =>
      `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`,
  );
  const more = matching.length > page.length;
  const next = more ? `<NextContinuationToken>${page.at(-1)?.[0]}</NextContinuationToken>` : '';
  return xml(
    response,
    200,
    `<ListBucketResult><Name>${BUCKET}</Name><IsTruncated>${more}</IsTruncated><KeyCount>${page.length}</KeyCount>${next}${contents.join('')}</ListBucketResult>`,
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

function sendObject(request: IncomingMessage, response: ServerResponse, { bytes, at }: StoredObject): void {
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const [from, to] = range ? [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)] : [0, bytes.length - 1];
  if (range && from >= bytes.length) return refuse(response, 416, 'InvalidRange', 'The range is not satisfiable');
  const part = bytes.subarray(from, to + 1);
  response.writeHead(range ? 206 : 200, {
    etag: getEtag(bytes),
    'last-modified': at.toUTCString(),
    'content-length': part.length,
    'content-type': 'application/octet-stream',
    ...(range ? { 'content-range': `bytes ${from}-${to}/${bytes.length}` } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

const getEtag = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function notImplemented(response: ServerResponse): void {
  refuse(response, 501, 'NotImplemented', 'The sandbox does not implement this request');
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  xml(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

function xml(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
