import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Worker } from 'tesseract.js';
import { ProviderError } from '../call.ts';
import { readLicenceText } from './licence-text.ts';
import type { IdReader, PictureDecoder } from '../ports.ts';

/** At this width, in pixels, letters of a licence photographed at arm's length are about 30 pixels high. */
const READING_WIDTH = 1_800;
/** A picture narrower than 1:3 is not a photo of a card and is not enlarged to the full width. */
const READING_HEIGHT = 3 * READING_WIDTH;
/** The worker is stopped after this time without work, because it holds 150 MB. */
const IDLE_MS = 60_000;

/** Reads licences on this machine, so that pictures never leave it. Reads one at a time, because each occupies a core for seconds. */
export function createOcrIdReader({
  timeoutMs,
  pictures,
}: {
  timeoutMs: number;
  pictures: Pick<PictureDecoder, 'enhanceText'>;
}): IdReader & { close(): Promise<void> } {
  let worker: Promise<Worker> | null = null;
  let lastRead: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | null = null;

  async function start(): Promise<Worker> {
    // The library is loaded at its first use, so that the server starts faster.
    const { createWorker, OEM, PSM } = await import('tesseract.js');
    const require = createRequire(import.meta.url);
    const langPath = join(dirname(require.resolve('@tesseract.js-data/eng/package.json')), '4.0.0_best_int');
    const created = await createWorker('eng', OEM.LSTM_ONLY, { langPath, gzip: true, cacheMethod: 'none' });
    await created.setParameters({ tessedit_pageseg_mode: PSM.SPARSE_TEXT, preserve_interword_spaces: '1' });
    return created;
  }

  async function close(): Promise<void> {
    if (idle) clearTimeout(idle);
    const closing = worker;
    worker = null;
    if (closing) await (await closing).terminate();
  }

  async function recognise(image: Uint8Array): Promise<{ text: string; confidence: number }> {
    const prepared = await pictures.enhanceText(image, { width: READING_WIDTH, height: READING_HEIGHT });
    if (typeof prepared === 'string') throw new ProviderError('ocr', prepared, { retryable: true });
    if (idle) clearTimeout(idle);
    worker ??= start();
    const reader = await worker;
    let deadline: NodeJS.Timeout | undefined;
    try {
      const result = await Promise.race([
        reader.recognize(Buffer.from(prepared)),
        new Promise<never>((_, reject) => {
          deadline = setTimeout(() => reject(new Error('reading took too long')), timeoutMs);
        }),
      ]);
      return { text: result.data.text, confidence: result.data.confidence };
    } catch (cause) {
      await close();
      throw new ProviderError('ocr', 'unreadable', { retryable: true }, cause);
    } finally {
      clearTimeout(deadline);
      idle = setTimeout(() => void close(), IDLE_MS);
      idle.unref();
    }
  }

  return {
    close,
    read(image) {
      const work = lastRead.then(async () => {
        const { text, confidence } = await recognise(image);
        return readLicenceText(text, confidence);
      });
      lastRead = work.catch(() => undefined);
      return work;
    },
  };
}
