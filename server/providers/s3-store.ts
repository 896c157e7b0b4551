import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ProviderError } from './call.ts';
import type { ObjectStore } from './ports.ts';

export type S3Settings = {
  readonly bucket: string;
  /** Null for Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The prefix of every key: '' or a text that ends with `/`. */
  readonly prefix: string;
  readonly pathStyle: boolean;
};

const TRIES = 3;
const PIECE = 256 * 1024;
/** The client logs nothing, because the server gets its failures as errors. */
const silent = (): void => undefined;
const SILENT = { trace: silent, debug: silent, info: silent, warn: silent, error: silent };

type Bucket = {
  readonly client: S3Client;
  readonly spool: string;
  readonly at: (key: string) => { readonly Bucket: string; readonly Key: string };
};

/**
 * Stores bytes in a bucket of any S3 service. A stream is first written to an unlinked file in `spool`. Its length is then known, it can be
 * sent again, and a broken stream never reaches the bucket. The file disappears with the process.
 */
export function createS3Store(settings: S3Settings, spool: string): ObjectStore {
  const { bucket: name, prefix } = settings;
  const client = createClient(settings);
  const at = (key: string) => ({ Bucket: name, Key: `${prefix}${key}` });
  const bucket: Bucket = { client, spool, at };
  return {
    put: (key, bytes) => (bytes instanceof Uint8Array ? putBytes(bucket, key, bytes) : putStream(bucket, key, bytes)),
    async get(key) {
      const found = await client.send(new GetObjectCommand(at(key))).catch(nullIfMissing);
      return found?.Body ? found.Body.transformToByteArray().catch(throwProviderError) : null;
    },
    async open(key, { from, to }) {
      const range = { ...at(key), Range: `bytes=${from}-${to}` };
      const found = await client.send(new GetObjectCommand(range)).catch(nullIfMissing);
      return found?.Body?.transformToWebStream() ?? null;
    },
    async copy(from, to) {
      const CopySource = encodeURI(`${name}/${prefix}${from}`);
      return (await client.send(new CopyObjectCommand({ ...at(to), CopySource })).catch(nullIfMissing)) !== null;
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(at(key))).catch(throwProviderError);
    },
    async *list(folder) {
      const request = { Bucket: name, Prefix: `${prefix}${folder}/` };
      let next: string | undefined;
      do {
        const command = new ListObjectsV2Command({
          ...request,
          ...(next === undefined ? {} : { ContinuationToken: next }),
        });
        const page = await client.send(command).catch(throwProviderError);
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key && LastModified) yield { key: Key.slice(prefix.length), writtenAt: LastModified };
        }
        next = page.NextContinuationToken;
      } while (next !== undefined);
    },
  };
}

function createClient(settings: S3Settings): S3Client {
  return new S3Client({
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    forcePathStyle: settings.pathStyle,
    maxAttempts: TRIES,
    logger: SILENT,
    // Services other than Amazon's do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 60_000 },
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
  });
}

async function putBytes({ client, at }: Bucket, key: string, bytes: Uint8Array): Promise<void> {
  await client.send(new PutObjectCommand({ ...at(key), Body: bytes })).catch(throwProviderError);
}

/** Writes a stream to the spool, then sends it. */
async function putStream(bucket: Bucket, key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await openUnlinked(bucket.spool);
  try {
    let size = 0;
    for await (const part of bytes) {
      await file.writeFile(part);
      size += part.byteLength;
    }
    await putFile(bucket, key, file, size);
  } finally {
    await file.close();
  }
}

async function putFile({ client, at }: Bucket, key: string, file: FileHandle, size: number): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const body = size === 0 ? '' : Readable.from(readContent(file, size), { objectMode: false });
    try {
      await client.send(new PutObjectCommand({ ...at(key), Body: body, ContentLength: size }));
      return;
    } catch (error) {
      // The library cannot repeat a stream, but the file can be read again.
      if (tried >= TRIES || !isTransient(error)) throw toProviderError(error);
    }
  }
}

async function openUnlinked(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

async function* readContent(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let index = 0; index < size;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(PIECE, size - index)), 0, null, index);
    if (bytesRead === 0) throw new Error('the spool is shorter than it was');
    index += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Whether another attempt may succeed, because the service failed or was unreachable. */
function isTransient(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 429;
}
function toProviderError(error: unknown): ProviderError {
  const reason = error instanceof Error ? error.name : 'unknown';
  // The error is not ambiguous: a key is written once and whole, so a call can be repeated safely.
  return new ProviderError('s3', reason, { retryable: isTransient(error) }, error);
}
function throwProviderError(error: unknown): never {
  throw toProviderError(error);
}
function nullIfMissing(error: unknown): null {
  if (error instanceof S3ServiceException && error.name === 'NoSuchKey') return null;
  throw toProviderError(error);
}
