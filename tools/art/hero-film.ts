import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import sharp from 'sharp';
import { BEAMS, FRAME, LAYER } from './club-shader.ts';
import { openStage, type Shot } from './stage.ts';

/**
 * Renders the film of the landing page: `node tools/art/hero-film.ts`. Needs Chromium (CHROMIUM_PATH) and ffmpeg, which it
 * installs from the system's packages when run as root. Writes web/public/hero/*: WebM (VP9), MP4 (H.264) and a poster, for
 * wide screens and for phones. `--still 0.25` renders only one frame of each at that position in the loop.
 */
const SECONDS = 8;
const RATE = 24;
const LIMIT_BYTES = 1_500_000;
const OUT = join(import.meta.dirname, '..', '..', 'web', 'public', 'hero');
const SHOTS: readonly Shot[] = [
  { name: 'wide', width: 1600, height: 900, shift: [0.4, 0.04], zoom: 1.75, bits: ['1000k', '1150k'] },
  { name: 'tall', width: 720, height: 1280, shift: [0, 0.2], zoom: 1.75, bits: ['700k', '800k'] },
];

function needFfmpeg(): void {
  if (spawnSync('ffmpeg', ['-version']).status === 0) return;
  if (process.getuid?.() !== 0) throw new Error('ffmpeg is needed: install it, or run this as root.');
  spawnSync('apt-get', ['update', '-q'], { stdio: 'inherit' });
  spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'ffmpeg'], { stdio: 'inherit' });
}

/** Runs ffmpeg to its end; `feed` may write to its input. */
async function ffmpeg(args: readonly string[], feed?: (write: (bytes: Buffer) => Promise<void>) => Promise<void>) {
  const child = spawn('ffmpeg', ['-v', 'error', '-y', ...args], { stdio: ['pipe', 'inherit', 'inherit'] });
  const done = new Promise<void>((settle, fail) => {
    child.on('error', fail);
    child.on('close', (code) => (code === 0 ? settle() : fail(new Error(`ffmpeg ended with ${code}`))));
  });
  await feed?.((bytes) => new Promise((settle) => child.stdin.write(bytes, () => settle())));
  child.stdin.end();
  await done;
}

/** Encodes in two passes, which spends the bits where the picture moves. */
async function encode(master: string, shot: Shot, scratch: string): Promise<void> {
  const [webm, mp4] = shot.bits;
  const log = join(scratch, `${shot.name}-pass`);
  const vp9 = [
    '-i',
    master,
    '-an',
    '-c:v',
    'libvpx-vp9',
    '-b:v',
    webm,
    '-row-mt',
    '1',
    '-g',
    '240',
    '-passlogfile',
    log,
  ];
  const colours = ['-pix_fmt', 'yuv420p', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  await ffmpeg([...vp9, ...colours, '-deadline', 'good', '-cpu-used', '4', '-pass', '1', '-f', 'null', '/dev/null']);
  await ffmpeg([
    ...vp9,
    ...colours,
    '-deadline',
    'good',
    '-cpu-used',
    '1',
    '-pass',
    '2',
    join(OUT, `${shot.name}.webm`),
  ]);
  const h264 = ['-i', master, '-an', '-c:v', 'libx264', '-preset', 'slow', '-b:v', mp4, '-passlogfile', `${log}-264`];
  const more = ['-profile:v', 'high', '-aq-mode', '3', ...colours];
  await ffmpeg([...h264, ...more, '-pass', '1', '-f', 'null', '/dev/null']);
  await ffmpeg([...h264, ...more, '-pass', '2', '-movflags', '+faststart', join(OUT, `${shot.name}.mp4`)]);
  for (const kind of ['webm', 'mp4']) {
    const { size } = statSync(join(OUT, `${shot.name}.${kind}`));
    process.stdout.write(`${shot.name}.${kind}: ${Math.round(size / 1000)} kB\n`);
    if (size >= LIMIT_BYTES) throw new Error(`${shot.name}.${kind} is larger than ${LIMIT_BYTES} bytes`);
  }
}

/** Writes the poster: the first frame, so that the film continues from it. */
async function savePoster(rgba: Buffer, shot: Shot): Promise<void> {
  const picture = sharp(rgba, { raw: { width: shot.width, height: shot.height, channels: 4 } }).flip();
  await picture
    .clone()
    .avif({ quality: 48, effort: 7 })
    .toFile(join(OUT, `${shot.name}.avif`));
  await picture
    .clone()
    .jpeg({ quality: 68, mozjpeg: true })
    .toFile(join(OUT, `${shot.name}.jpg`));
}

const still = process.argv.indexOf('--still');
if (still < 0) needFfmpeg();
await mkdir(OUT, { recursive: true });
const scratch = mkdtempSync(join(tmpdir(), 'hero-'));
const path = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({
  ...(existsSync(path) ? { executablePath: path } : {}),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
try {
  for (const shot of SHOTS) {
    const stage = await openStage(await browser.newPage(), shot, { layer: LAYER, beams: BEAMS, frame: FRAME });
    if (still >= 0) {
      await savePoster(await stage(Number(process.argv[still + 1])), { ...shot, name: `still-${shot.name}` });
      continue;
    }
    const master = join(scratch, `${shot.name}.mkv`);
    const raw = [
      '-f',
      'rawvideo',
      '-pix_fmt',
      'rgba',
      '-s',
      `${shot.width}x${shot.height}`,
      '-r',
      String(RATE),
      '-i',
      '-',
    ];
    await ffmpeg([...raw, '-vf', 'vflip', '-c:v', 'ffv1', '-pix_fmt', 'bgr0', master], async (write) => {
      for (let at = 0; at < SECONDS * RATE; at += 1) {
        const rgba = await stage(at / (SECONDS * RATE));
        if (at === 0) await savePoster(rgba, shot);
        await write(rgba);
        if (at % RATE === 0) process.stdout.write(`${shot.name}: ${at / RATE} of ${SECONDS} s\n`);
      }
    });
    await encode(master, shot, scratch);
  }
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
