/**
 * Renders pictures of the three studios: `node tools/art/rooms/render.ts [a|b|c ...]` writes
 * web/public/rooms/{a,b,c}-{width}.{avif,webp} and mail/{a,b,c}.jpg. Every run gives the same pictures.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { roomA, roomB, roomC } from './rooms.ts';
import { brightness, denoise, type Guide, type Layer } from './denoise.ts';
import { createTracer, dice, type Scene } from './tracer.ts';

const WIDTH = Number(process.env['RENDER_WIDTH'] ?? 1120);
const HEIGHT = Math.round((WIDTH * 10) / 16);
const SIZES = [480, 800, 1120];
const OUT = process.env['RENDER_OUT'] ?? join(import.meta.dirname, '..', '..', '..', 'web', 'public', 'rooms');
const ROOMS = { a: roomA, b: roomB, c: roomC } as const;
/** Shares of the bloom and their radius in widths of the picture. */
const BLOOM = [
  [0.2, 0.003],
  [0.12, 0.012],
  [0.07, 0.045],
] as const;
/** Lamps are far brighter than the film shows; more than this would only widen their bloom. */
const GLARE = 7;
/** How much darker the dark becomes, and brighter the bright. */
const CONTRAST = 0.55;
/** Rays of each pixel; the narrow beams of the first room need more. */
const RAYS = { a: 32, b: 8, c: 8 } as const;
const EXPOSURE = { a: 1.3, b: 1.35, c: 1.05 } as const;

/** Means of a pixel's rays: the parts of the light, and what the filter needs to know of the surface. */
type Shot = {
  readonly glow: Float32Array;
  readonly colour: Float32Array;
  readonly haze: Layer;
  readonly matt: Layer;
  readonly mirror: Layer;
  readonly guide: Guide;
};

/** Traces every pixel. */
function shoot(scene: Scene, seed: number, rays: number): Shot {
  const roll = dice(seed);
  const tracer = createTracer(scene, WIDTH / HEIGHT, roll);
  const pixels = WIDTH * HEIGHT;
  const three = () => new Float32Array(pixels * 3);
  const layer = (): Layer => ({ light: three(), variance: new Float32Array(pixels) });
  const guide = { normal: three(), at: three(), shine: new Float32Array(pixels) };
  const shot = { glow: three(), colour: three(), haze: layer(), matt: layer(), mirror: layer(), guide };
  const sums = [
    ['glow', shot.glow],
    ['colour', shot.colour],
    ['normal', guide.normal],
    ['at', guide.at],
    ['haze', shot.haze.light],
    ['matt', shot.matt.light],
    ['mirror', shot.mirror.light],
  ] as const;
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    const [x, y] = [pixel % WIDTH, Math.floor(pixel / WIDTH)];
    for (let ray = 0; ray < rays; ray += 1) {
      const sample = tracer.sampleAt((x + roll()) / WIDTH, (y + roll()) / HEIGHT, (ray + roll()) / rays);
      for (const [name, sum] of sums)
        for (let k = 0; k < 3; k += 1) sum[pixel * 3 + k] = (sum[pixel * 3 + k] ?? 0) + (sample[name][k] ?? 0) / rays;
      guide.shine[pixel] = (guide.shine[pixel] ?? 0) + sample.shine / rays;
      for (const name of ['haze', 'matt', 'mirror'] as const) {
        const [r, g, b] = sample[name];
        const { variance } = shot[name];
        variance[pixel] = (variance[pixel] ?? 0) + (0.3 * r + 0.5 * g + 0.2 * b) ** 2 / rays;
      }
    }
    for (const name of ['haze', 'matt', 'mirror'] as const) {
      const { light, variance } = shot[name];
      variance[pixel] = Math.max((variance[pixel] ?? 0) - brightness(light, pixel) ** 2, 0) / rays;
    }
  }
  return shot;
}

/** Light of each pixel: red, green, blue. Matt light is filtered without the surfaces' colours, so that patterns stay sharp. */
function clean(shot: Shot): Float32Array {
  const { colour, matt } = shot;
  const tint = colour.map((value) => Math.max(value, 0.004));
  const bare: Layer = {
    light: matt.light.map((value, at) => value / (tint[at] ?? 1)),
    variance: matt.variance.map((value, pixel) => value / brightness(tint, pixel) ** 2),
  };
  const lit = denoise(bare, WIDTH, 4, shot.guide);
  const mirror = denoise(shot.mirror, WIDTH, 4, shot.guide);
  const haze = denoise(shot.haze, WIDTH, 6, null);
  return shot.glow.map(
    (value, at) => Math.min(value, GLARE) + (lit[at] ?? 0) * (tint[at] ?? 0) + (mirror[at] ?? 0) + (haze[at] ?? 0),
  );
}

/** Limits each pixel to the range of its eight neighbours: what is left of the noise are single pixels along edges. */
function despeckle(light: Float32Array): Float32Array {
  const out = light.slice();
  for (let y = 1; y < HEIGHT - 1; y += 1)
    for (let x = 1; x < WIDTH - 1; x += 1)
      for (let k = 0; k < 3; k += 1) {
        const at = (y * WIDTH + x) * 3 + k;
        let [low, high] = [Infinity, -Infinity];
        for (const row of [-WIDTH * 3, 0, WIDTH * 3])
          for (const column of [-3, 0, 3]) {
            if (row === 0 && column === 0) continue;
            const other = light[at + row + column] ?? 0;
            low = Math.min(low, other);
            high = Math.max(high, other);
          }
        out[at] = Math.min(Math.max(light[at] ?? 0, low), high);
      }
  return out;
}

/** Adds bloom: bright pixels spread into their surroundings, near and far, as in a lens. */
function bloom(light: Float32Array): Float32Array {
  const bright = light.map((value) => Math.max(value - 0.9, 0));
  const out = light.slice();
  for (const [share, part] of BLOOM) {
    const radius = Math.max(Math.round(WIDTH * part), 1);
    let soft: Float32Array = bright;
    for (let pass = 0; pass < 3; pass += 1) soft = blur(blur(soft, radius, 3), radius, WIDTH * 3);
    for (let at = 0; at < out.length; at += 1) out[at] = (out[at] ?? 0) + (soft[at] ?? 0) * share;
  }
  return out;
}

/** Averages 2r + 1 neighbours that are `step` numbers apart. */
function blur(light: Float32Array, radius: number, step: number): Float32Array {
  const out = new Float32Array(light.length);
  const along = step === 3 ? WIDTH : HEIGHT;
  const lines = light.length / along;
  for (let line = 0; line < lines; line += 1) {
    const start = step === 3 ? Math.floor(line / 3) * WIDTH * 3 + (line % 3) : line;
    let sum = 0;
    for (let k = -radius; k < along; k += 1) {
      const coming = k + radius;
      const going = k - radius - 1;
      if (coming < along) sum += light[start + coming * step] ?? 0;
      if (going >= 0) sum -= light[start + going * step] ?? 0;
      if (k >= 0) out[start + k * step] = sum / (2 * radius + 1);
    }
  }
  return out;
}

/** Narkowicz's fit of the ACES film curve. */
const film = (v: number): number => Math.min(Math.max((v * (2.51 * v + 0.03)) / (v * (2.43 * v + 0.59) + 0.14), 0), 1);

/**
 * Converts light to sRGB bytes, darker towards the corners. Half of the curve works on each colour and half on the brightest: colours alone
 * would turn bright orange into yellow, brightness alone would never reach white.
 */
function develop(light: Float32Array, exposure: number): Buffer {
  const bytes = Buffer.alloc(light.length);
  for (let pixel = 0; pixel < light.length / 3; pixel += 1) {
    const [x, y] = [((pixel % WIDTH) / WIDTH) * 2 - 1, (Math.floor(pixel / WIDTH) / HEIGHT) * 2 - 1];
    const scale = exposure * (1 - 0.28 * Math.min(x * x * 0.8 + y * y * 0.8, 1));
    const rgb = [0, 1, 2].map((k) => (light[pixel * 3 + k] ?? 0) * scale);
    const most = Math.max(...rgb, 1e-6);
    for (const [k, v] of rgb.entries()) {
      const even = 0.45 * film(v) + 0.55 * film(most) * (v / most);
      const shown = even + CONTRAST * even * (1 - even) * (2 * even - 0.55);
      bytes[pixel * 3 + k] = Math.round(
        255 * (shown <= 0.0031308 ? shown * 12.92 : 1.055 * shown ** (1 / 2.4) - 0.055),
      );
    }
  }
  return bytes;
}

const MAIL_WIDTH = 1_120;

async function write(name: keyof typeof ROOMS): Promise<void> {
  const light = clean(shoot(ROOMS[name](), name.charCodeAt(0), RAYS[name]));
  const picture = sharp(develop(bloom(despeckle(light)), EXPOSURE[name]), {
    raw: { width: WIDTH, height: HEIGHT, channels: 3 },
  });
  const full = await picture.png().toBuffer();
  for (const width of SIZES.filter((one) => one <= WIDTH)) {
    const sized = sharp(full).resize({ width });
    await sized
      .clone()
      .avif({ quality: 52, effort: 6 })
      .toFile(join(OUT, `${name}-${width}.avif`));
    await sized
      .clone()
      .webp({ quality: 68, effort: 6 })
      .toFile(join(OUT, `${name}-${width}.webp`));
  }
  // For mails: not all mail programs read the newer formats.
  await sharp(full)
    .resize({ width: MAIL_WIDTH })
    .jpeg({ quality: 78, mozjpeg: true })
    .toFile(join(OUT, 'mail', `${name}.jpg`));
  process.stdout.write(`room ${name} is drawn\n`);
}

mkdirSync(join(OUT, 'mail'), { recursive: true });
const selected = process.argv.slice(2);
for (const name of ['a', 'b', 'c'] as const) if (selected.length === 0 || selected.includes(name)) await write(name);
