import sharp from 'sharp';
import type { PictureAnswer, PictureJob } from './jobs.ts';

/**
 * A separate process for the decoders, so that a hostile picture harms only this process. It decodes one picture at a time and exits if it
 * uses too much memory; its parent kills it if it takes too long.
 */

/** 25 million pixels suffice for a phone's photo and stop decompression bombs. */
const PIXELS_MAX = 25_000_000;
const RESIDENT_MAX = 640 * 1024 * 1024;
const DECODERS = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer', 'HeifBuffer'];

// Only the decoders unblocked below are enabled: drawings, documents and rare formats cannot be loaded.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: DECODERS.map((name) => `VipsForeignLoad${name}`) });
sharp.concurrency(1);
sharp.cache(false);

process.on('message', (job: PictureJob) => {
  void work(job).then((bytes) => send({ bytes }));
});
process.on('disconnect', () => process.exit(0));
setInterval(() => {
  if (process.memoryUsage.rss() > RESIDENT_MAX) process.exit(1);
}, 50);

function send(answer: PictureAnswer): void {
  process.send?.(answer);
}

async function work(job: PictureJob): Promise<Uint8Array | null> {
  try {
    const picture = sharp(job.bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error', animated: false, pages: 1 });
    const { format } = await picture.metadata();
    if (!job.formats.includes(format ?? '')) return null;
    const upright = picture.autoOrient();
    if (job.resize) upright.resize({ ...job.resize, withoutEnlargement: job.resize.enlarge !== true });
    if (job.enhanceText) upright.grayscale().normalise().sharpen().toColourspace('b-w');
    if (job.output === 'jpeg') upright.flatten({ background: '#ffffff' });
    return await upright.toFormat(job.output, job.quality === undefined ? {} : { quality: job.quality }).toBuffer();
  } catch {
    return null; // the reason only concerns the sender's file
  }
}
