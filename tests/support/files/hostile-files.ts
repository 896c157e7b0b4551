import { Readable, type Transform } from 'node:stream';
import { crc32, createDeflate, createGzip, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';

/** A mark inside every hostile file. If it appears elsewhere, something has escaped. */
export const MARK = 'WHERE-I-LIVE';

/** A hostile file. It is made only when it is needed, because bombs are expensive to make. */
export type Hostile = { readonly name: string; readonly make: () => Buffer | Promise<Buffer> };

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
const PNG = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
function header(width: number, height: number, depth = 8, colour = 2, interlace = 0): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([depth, colour, 0, 0, interlace], 8);
  return chunk('IHDR', data);
}
const END = chunk('IEND', Buffer.alloc(0));
const zeros = (size: number): Buffer => deflateSync(Buffer.alloc(size), { level: 9 });

/** Compresses zeros as a stream, so that making a bomb uses no memory that a test would count. */
async function manyZeros(size: number, packer: Transform = createDeflate({ level: 9 })): Promise<Buffer> {
  function* pieces(): Generator<Buffer> {
    for (let remaining = size; remaining > 0; remaining -= 65_536) yield Buffer.alloc(Math.min(remaining, 65_536));
  }
  const packed: Buffer[] = [];
  for await (const part of Readable.from(pieces()).pipe(packer)) packed.push(part as Buffer);
  return Buffer.concat(packed);
}

/**
 * Makes two hundred hostile files: bombs, polyglots, truncated files, wrong headers, and pictures with private metadata. `beacon`: a URL
 * that some of them try to load.
 */
export async function hostileFiles(beacon: string): Promise<Hostile[]> {
  const found: Hostile[] = [];
  const add = (name: string, bytes: Buffer | Hostile['make']): void =>
    void found.push({ name, make: typeof bytes === 'function' ? bytes : () => bytes });
  const plain = sharp({ create: { width: 64, height: 48, channels: 3, background: '#a83' } });
  const exif = { IFD0: { Artist: MARK, Copyright: `<script>${MARK}</script>`, ImageDescription: `<?php ${MARK}` } };
  const pictures = {
    jpeg: await plain.clone().withExif(exif).jpeg().toBuffer(),
    png: await plain.clone().withExif(exif).png().toBuffer(),
    webp: await plain.clone().withExif(exif).webp().toBuffer(),
    gif: await plain.clone().gif().toBuffer(),
    avif: await plain.clone().avif().toBuffer(),
    tiff: await plain.clone().tiff().toBuffer(),
  };
  const tails: Record<string, Buffer> = {
    page: Buffer.from(`<html><script>${MARK}</script></html>`),
    php: Buffer.from(`<?php system('${MARK}'); ?>`),
    pdf: Buffer.from(`%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(${MARK})>>>>endobj`),
    zip: Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.from(MARK)]),
    svg: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${MARK}"/>`),
    phar: Buffer.from(`__HALT_COMPILER(); ?>${MARK}`),
    shell: Buffer.from(`#!/bin/sh\necho ${MARK}\n`),
  };
  for (const [format, bytes] of Object.entries(pictures)) {
    add(`${format} that says too much`, bytes);
    for (const [tail, more] of Object.entries(tails)) {
      add(`${format} with a ${tail} behind it`, Buffer.concat([bytes, more]));
      add(`${format} with a ${tail} before it`, Buffer.concat([more, bytes]));
    }
    for (const part of [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])
      add(`${part} of a ${format}`, bytes.subarray(0, Math.ceil(bytes.length * part)));
    for (let seed = 1; seed <= 4; seed += 1) {
      const broken = Buffer.from(bytes);
      for (let index = 12 + seed; index < broken.length; index += 7 * seed + 3)
        broken[index] = (broken[index]! * 31 + seed) & 255;
      add(`${format} with letters changed, ${seed}`, broken);
    }
  }
  for (const [width, height] of [
    [65_535, 65_535],
    [20_000, 20_000],
    [5_001, 5_000],
    [2 ** 31 - 1, 1],
    [1, 2 ** 31 - 1],
    [0, 0],
    [100_000, 300],
  ] as const) {
    add(
      `png that says it is ${width} by ${height}`,
      Buffer.concat([PNG, header(width, height), chunk('IDAT', zeros(1_000)), END]),
    );
    const jpeg = Buffer.from(pictures.jpeg);
    const start = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
    jpeg.writeUInt16BE(Math.min(height, 65_535), start + 5);
    jpeg.writeUInt16BE(Math.min(width, 65_535), start + 7);
    add(`jpeg that says it is ${width} by ${height}`, jpeg);
  }
  const row = 6_000 * 3 + 1;
  add('png of 36 million pixels that unpack', async () =>
    Buffer.concat([PNG, header(6_000, 6_000), chunk('IDAT', await manyZeros(row * 6_000)), END]),
  );
  add('png of 24 million pixels', async () =>
    Buffer.concat([PNG, header(6_000, 4_000), chunk('IDAT', await manyZeros(row * 4_000)), END]),
  );
  add('png with 16 bits and interlace', async () =>
    Buffer.concat([PNG, header(4_000, 4_000, 16, 6, 1), chunk('IDAT', await manyZeros(4_000 * 4_000 * 2)), END]),
  );
  const bomb = (): Promise<Buffer> => manyZeros(40_000_000);
  add('png with a text bomb', async () =>
    Buffer.concat([
      PNG,
      header(1, 1),
      chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), await bomb()])),
      chunk('IDAT', zeros(4)),
      END,
    ]),
  );
  add('png with a profile bomb', async () =>
    Buffer.concat([
      PNG,
      header(1, 1),
      chunk('iCCP', Buffer.concat([Buffer.from('a\0\0'), await bomb()])),
      chunk('IDAT', zeros(4)),
      END,
    ]),
  );
  add('png with ten thousand chunks', () =>
    Buffer.concat([
      PNG,
      header(1, 1),
      ...Array.from({ length: 10_000 }, () => chunk('tEXt', Buffer.from(`a\0${MARK}`))),
      chunk('IDAT', zeros(4)),
      END,
    ]),
  );
  add('png without an end', Buffer.concat([PNG, header(100, 100), chunk('IDAT', zeros(30_100))]));
  add('png without pixels', Buffer.concat([PNG, header(100, 100), END]));
  add('png with a wrong sum', Buffer.concat([PNG, header(2, 2).fill(0, 21), chunk('IDAT', zeros(14)), END]));
  const frames = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      sharp({ create: { width: 200, height: 200, channels: 3, background: { r: index * 6, g: 0, b: 0 } } })
        .png()
        .toBuffer(),
    ),
  );
  add(
    'gif of forty frames',
    await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer(),
  );
  add(
    'webp of forty frames',
    await sharp(frames, { join: { animated: true } })
      .webp()
      .toBuffer(),
  );
  const svg = (inside: string, head = ''): Buffer =>
    Buffer.from(
      `<?xml version="1.0"?>${head}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="99" height="99">${inside}</svg>`,
    );
  const laughs = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
    '',
  );
  add('svg that laughs a billion times', svg('<text>&l9;</text>', `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]>`));
  add('svg that reads a file', svg('<text>&x;</text>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>'));
  add(
    'svg that asks the network',
    svg(`<image xlink:href="${beacon}/svg.png" width="9" height="9"/>`, `<!DOCTYPE svg SYSTEM "${beacon}/dtd">`),
  );
  add('svg with a script', svg(`<script>${MARK}</script>`));
  add('svg that includes another', svg('<use xlink:href="#a"/><g id="a"><use xlink:href="#a"/></g>'));
  add('svg of a billion pixels', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="99999" height="99999"/>'));
  add('gzipped svg', gzipSync(svg('<rect/>')));
  for (const [name, bytes] of Object.entries(tails)) add(name, bytes);
  add('a zip bomb', () => manyZeros(30_000_000, createGzip()));
  add('nothing', Buffer.alloc(0));
  add('one zero', Buffer.alloc(1));
  for (const size of [3, 100, 5_000, 1_000_000]) add(`${size} zeros`, Buffer.alloc(size));
  for (const magic of [
    '\xff\xd8\xff',
    '\x89PNG\r\n\x1a\n',
    'RIFF\xff\xff\xff\xffWEBPVP8 ',
    'GIF89a',
    'II*\0',
    'MM\0*',
    'BM',
    '8BPS',
    '\0\0\0\x1cftypheic',
    '\0\0\0\x1cftypavif',
    '#?RADIANCE\n',
    'P6 99999 99999 255\n',
    'SIMPLE  =',
    'v/1\x01',
    "push graphic-context\nfill 'url(https://x)'",
  ]) {
    add(`only the first letters of ${JSON.stringify(magic)}`, Buffer.from(magic, 'latin1'));
    add(
      `${JSON.stringify(magic)} and noise`,
      Buffer.concat([
        Buffer.from(magic, 'latin1'),
        Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * index * 7 + 13 * index) & 255)),
      ]),
    );
  }
  for (const [width, height] of [
    [1, 16_000],
    [16_000, 1],
    [1, 1],
  ] as const)
    add(
      `jpeg of ${width} by ${height}`,
      await sharp({ create: { width, height, channels: 3, background: '#fff' } })
        .jpeg()
        .toBuffer(),
    );
  add('ten megabytes and one', () => Buffer.concat([pictures.jpeg, Buffer.alloc(10_485_761 - pictures.jpeg.length)]));
  add('ten megabytes', () => Buffer.concat([pictures.jpeg, Buffer.alloc(10_485_760 - pictures.jpeg.length)]));
  return found;
}
