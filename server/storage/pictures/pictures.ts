import type { PictureDecoder } from '#server/providers/ports.ts';
import { collect } from '../core/body.ts';
import type { PictureEncoder } from '../core/context.ts';
import { StorageRefusal, storageErrors } from '../core/errors.ts';
import type { PictureJob } from './jobs.ts';
import { closePool, createPicturePool, runJob } from './pool.ts';

/** Decodes, transforms and encodes pictures in separate processes. */
export type Pictures = PictureDecoder &
  PictureEncoder & {
    /** Runs a job. Throws `StorageRefusal` if the bytes are not a picture or are too large to decode, and if the queue is full. */
    make(job: PictureJob): Promise<Uint8Array>;
    close(): void;
  };

/** The job for stored photos, which keeps the pixels and drops the metadata. */
const REENCODE = { formats: ['jpeg', 'png', 'webp'], resize: null, output: 'jpeg', quality: 90 } as const;
/** The job for photos whose text will be read. */
const ENHANCE_TEXT = { formats: ['jpeg'], enhanceText: true, output: 'png' } as const;
const WAITING_MAX = 64;
/** Maximum total size of the pictures that are being received or queued, in bytes. Above it, callers get 503. */
const MEMORY_MAX = 128 * 1024 * 1024;

export function createPictures(): Pictures {
  const pool = createPicturePool();
  let reserved = 0;

  async function make(job: PictureJob): Promise<Uint8Array> {
    if (pool.closed || pool.queue.length >= WAITING_MAX) throw storageErrors.busy();
    const bytes = await runJob(pool, job);
    if (bytes === null) throw storageErrors.picture();
    return bytes;
  }

  /** Runs `work` with `bytes` of memory reserved. Refuses if there is too little. */
  async function withMemory(bytes: number, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    if (reserved + bytes > MEMORY_MAX) throw storageErrors.busy();
    reserved += bytes;
    try {
      return await work();
    } finally {
      reserved -= bytes;
    }
  }

  const decode = (job: PictureJob): Promise<Uint8Array | 'unreadable' | 'busy'> =>
    withMemory(job.bytes.byteLength, () => make(job)).catch((error: unknown) => {
      if (!(error instanceof StorageRefusal)) throw error;
      return error.status === 503 ? 'busy' : 'unreadable';
    });

  return {
    make,
    reencode: (source, maxBytes) =>
      withMemory(maxBytes, async () => make({ ...REENCODE, bytes: await collect(source, maxBytes) })),
    repack: (bytes, edge) => decode({ ...REENCODE, bytes, resize: { width: edge, height: edge, fit: 'inside' } }),
    enhanceText: (bytes, size) => decode({ ...ENHANCE_TEXT, bytes, resize: { ...size, fit: 'inside', enlarge: true } }),
    close: () => closePool(pool, storageErrors.busy()),
  };
}
