/**
 * Renders pictures of the three studios: `node tools/art/rooms/render.ts [a|b|c ...]` writes
 * web/public/rooms/{a,b,c}-{width}.{avif,webp}. Every run gives the same pictures.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { roomA, roomB, roomC } from './rooms.ts';
import { createTracer, dice, type Scene } from './tracer.ts';

const WIDTH = Number(process.env['RENDER_WIDTH'] ?? 1120);
const HEIGHT = Math.round((WIDTH * 10) / 16);
const RAYS = Number(process.env['RENDER_RAYS'] ?? 72);
const SIZES = [480, 800, 1120];
const OUT = join(import.meta.dirname, '..', '..', '..', 'web', 'public', 'rooms');
const ROOMS = { a: roomA, b: roomB, c: roomC } as const;
const EXPOSURE = { a: 1.25, b: 1.15, c: 0.95 } as const;

/** Light of each pixel: red, green, blue. */
function shoot(scene: Scene, seed: number): Float32Array {
  const roll = dice(seed);
  const tracer = createTracer(scene, WIDTH / HEIGHT, roll);
  const light = new Float32Array(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const at = (y * WIDTH + x) * 3;
      for (let ray = 0; ray < RAYS; ray += 1) {
        const [r, g, b] = tracer.colourAt((x + roll()) / WIDTH, (y + roll()) / HEIGHT);
        light[at] = (light[at] ?? 0) + r / RAYS;
        light[at + 1] = (light[at + 1] ?? 0) + g / RAYS;
        light[at + 2] = (light[at + 2] ?? 0) + b / RAYS;
      }
    }
  return light;
}

/** Adds bloom: bright pixels spread into their surroundings, as in a lens. */
function bloom(light: Float32Array): Float32Array {
  let soft: Float32Array = light.map((value) => Math.max(value - 0.9, 0));
  const radius = Math.round(WIDTH / 90);
  for (let pass = 0; pass < 3; pass += 1) soft = blur(blur(soft, radius, 3), radius, WIDTH * 3);
  return light.map((value, at) => value + (soft[at] ?? 0) * 0.5);
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

/** Converts light to sRGB bytes with Narkowicz's fit of the ACES film curve, darker towards the corners. */
function develop(light: Float32Array, exposure: number): Buffer {
  const bytes = Buffer.alloc(light.length);
  for (let at = 0; at < light.length; at += 1) {
    const pixel = Math.floor(at / 3);
    const [x, y] = [((pixel % WIDTH) / WIDTH) * 2 - 1, (Math.floor(pixel / WIDTH) / HEIGHT) * 2 - 1];
    const corner = 1 - 0.28 * Math.min(x * x * 0.8 + y * y * 0.8, 1);
    const v = (light[at] ?? 0) * exposure * corner;
    const film = Math.min(Math.max((v * (2.51 * v + 0.03)) / (v * (2.43 * v + 0.59) + 0.14), 0), 1);
    bytes[at] = Math.round(255 * (film <= 0.0031308 ? film * 12.92 : 1.055 * film ** (1 / 2.4) - 0.055));
  }
  return bytes;
}

async function write(name: keyof typeof ROOMS): Promise<void> {
  const light = shoot(ROOMS[name](), name.charCodeAt(0));
  const picture = sharp(develop(bloom(light), EXPOSURE[name]), { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
  // A 3-pixel median removes the remaining noise.
  const clean = await picture.median(3).png().toBuffer();
  for (const width of SIZES.filter((one) => one <= WIDTH)) {
    const sized = sharp(clean).resize({ width });
    await sized
      .clone()
      .avif({ quality: 52, effort: 6 })
      .toFile(join(OUT, `${name}-${width}.avif`));
    await sized
      .clone()
      .webp({ quality: 68, effort: 6 })
      .toFile(join(OUT, `${name}-${width}.webp`));
  }
  process.stdout.write(`room ${name} is drawn\n`);
}

mkdirSync(OUT, { recursive: true });
const selected = process.argv.slice(2);
for (const name of ['a', 'b', 'c'] as const) if (selected.length === 0 || selected.includes(name)) await write(name);
