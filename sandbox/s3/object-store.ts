import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkSignature, type Credentials } from './signature.ts';

/**
 * A simulated S3 service: one bucket, in memory, path style, every request signed. It implements what the server uses and answers
 * NotImplemented to the rest. Like Amazon's, it requires a length and checks the hash.
 */
export type ObjectService = {
  readonly url: string;
  readonly bucket: string;
  readonly credentials: Credentials;
  /** All stored objects, by key. */
  readonly kept: ReadonlyMap<string, Uint8Array>;
  /** Answers the next requests with this status. */
  stumble(times: number, status: number): void;
  close(): Promise<void>;
};
type StoredObject = { readonly bytes: Buffer; readonly at: Date };

const BUCKET = 'studio-files';
const KNOWN_QUERY = new Set(['x-id', 'list-type', 'prefix', 'max-keys', 'continuation-token']);

export async function startObjectService(options: { pageSize?: number } = {}): Promise<ObjectService> {
  const credentials = { accessKeyId: 'AKIDSANDBOX', secretAccessKey: 'sandbox-object-secret', region: 'us-east-1' };
  const objects = new Map<string, StoredObject>();
  let failures = { times: 0, status: 500 };
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (failures.times > 0) {
      failures = { ...failures, times: failures.times - 1 };
      return refuse(response, failures.status, 'InternalError', 'We stumbled');
    }
    const wrong = checkSignature(request, credentials);
    if (wrong) return refuse(response, wrong.status, wrong.code, wrong.message);
    const hash = String(request.headers['x-amz-content-sha256']);
    if (hash !== 'UNSIGNED-PAYLOAD' && !/^[0-9a-f]{64}$/.test(hash))
      return refuse(response, 501, 'NotImplemented', 'Chunked signatures are not known here');
    if (hash !== 'UNSIGNED-PAYLOAD' && createHash('sha256').update(body).digest('hex') !== hash)
      return refuse(response, 400, 'XAmzContentSHA256Mismatch', 'The body is not what was signed');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
    const [, bucket = '', ...rest] = pathname.split('/');
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket', 'The specified bucket does not exist');
    if ([...searchParams.keys()].some((name) => !KNOWN_QUERY.has(name)))
      return refuse(response, 501, 'NotImplemented', 'This is not known here');
    const key = decodeURIComponent(rest.join('/'));
    if (key === '' && request.method === 'GET') return list(response, searchParams);
    if (key === '') return refuse(response, 501, 'NotImplemented', 'This is not known here');
    return act(request, response, key, body);
  }

  function act(request: IncomingMessage, response: ServerResponse, key: string, body: Buffer): void {
    const found = objects.get(key);
    const copied = request.headers['x-amz-copy-source'];
    if (request.method === 'PUT' && copied !== undefined) return copy(response, key, String(copied));
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined)
        return refuse(response, 411, 'MissingContentLength', 'You must provide the Content-Length HTTP header');
      objects.set(key, { bytes: body, at: new Date() });
      return void response.writeHead(200, { etag: etagOf(body) }).end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'MethodNotAllowed', 'The method is not allowed against this resource');
    if (!found) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist');
    return sendObject(request, response, found);
  }

  function copy(response: ServerResponse, key: string, source: string): void {
    const found = objects.get(decodeURIComponent(source.replace(/^\//, '')).replace(`${BUCKET}/`, ''));
    if (!found) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist');
    objects.set(key, { bytes: found.bytes, at: new Date() });
    const at = new Date().toISOString();
    return xml(response, 200, `<CopyObjectResult><LastModified>${at}</LastModified></CopyObjectResult>`);
  }

  function list(response: ServerResponse, query: URLSearchParams): void {
    if (query.get('list-type') !== '2')
      return refuse(response, 501, 'NotImplemented', 'Only list-type=2 is known here');
    const max = Math.min(Number(query.get('max-keys') ?? 1_000), options.pageSize ?? 1_000);
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
      .toSorted();
    const page = keys.slice(0, max);
    const contents = page.map((key) => {
      const { bytes, at } = objects.get(key) ?? { bytes: Buffer.alloc(0), at: new Date() };
      return `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><Size>${bytes.length}</Size></Contents>`;
    });
    const more = keys.length > page.length;
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(
      response,
      200,
      `<ListBucketResult><Name>${BUCKET}</Name><IsTruncated>${more}</IsTruncated><KeyCount>${page.length}</KeyCount>${next}${contents.join('')}</ListBucketResult>`,
    );
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    // A TCP server has an AddressInfo once it listens.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: BUCKET,
    credentials,
    get kept() {
      return new Map([...objects].map(([key, { bytes }]) => [key, bytes]));
    },
    stumble: (times, status) => void (failures = { times, status }),
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
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
    etag: etagOf(bytes),
    'last-modified': at.toUTCString(),
    'content-length': part.length,
    'content-type': 'application/octet-stream',
    ...(range ? { 'content-range': `bytes ${from}-${to}/${bytes.length}` } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : part);
}

const etagOf = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  xml(response, status, `<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}
function xml(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n${body}`);
}
