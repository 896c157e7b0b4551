import { Readable, type Transform } from 'node:stream';
import { crc32, createDeflate, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MeasuredServer, startMeasuredServer } from '#tests/support/measured-server.ts';

/** Promise G20: two hundred hostile files through upload and rendering. None crashes the server, none escapes, memory stays bounded. */
const LONG = process.env['TEST_LONG'] !== undefined;
const SAMPLE = 40;
const MEMORY_MAX = 150 * 1024 * 1024;
const MARK = 'WHERE-I-LIVE';

/** Bombs are heavy to make: only when their turn comes. */
type Hostile = { readonly name: string; readonly make: () => Buffer | Promise<Buffer> };

describe('hostile files', () => {
  let server: MeasuredServer;
  let files: Hostile[];
  let beacon: { url: string; asked: string[]; close: () => void };

  beforeAll(async () => {
    server = await startMeasuredServer();
    await server.service.storage.createBucket('anything', { public: true });
    beacon = await startBeacon();
    const all = await corpus(beacon.url);
    expect(all.length).toBeGreaterThanOrEqual(200);
    files = LONG ? all : all.filter((_, at) => at % Math.floor(all.length / SAMPLE) === 0);
  }, 120_000);
  afterAll(async () => {
    beacon.close();
    await server.close();
  });

  test('through upload and rendering', { timeout: 1_200_000 }, async () => {
    const own = server.person.client.storage.from('id-verifications');
    const shown = server.service.storage.from('anything');
    const kept: string[] = [];
    // A picture first, so that everything has been read in that ever will be.
    await own.upload(`${server.person.id}/first.jpg`, await sharp(BLANK).jpeg().toBuffer(), {
      contentType: 'image/jpeg',
    });
    const before = await server.memory();
    let highest = before;
    for (const [at, { name, make }] of files.entries()) {
      const bytes = await make();
      const path = `${server.person.id}/${at}.jpg`;
      const { error } = await own.upload(path, bytes, { contentType: 'image/jpeg' });
      // A refusal in the protocol's words, or a picture of our own making.
      if (error) expect([name, error]).toEqual([name, refusal]);
      else kept.push(path);
      expect((await shown.upload(`${at}.jpg`, bytes, { contentType: 'image/jpeg' })).error).toBeNull();
      const small = await shown.download(`${at}.jpg`, { transform: { width: 64, height: 64 } });
      if (small.data) {
        const { width, height } = await sharp(Buffer.from(await small.data.arrayBuffer())).metadata();
        expect([name, width <= 64, height <= 64]).toEqual([name, true, true]);
      }
      highest = Math.max(highest, await server.memory());
    }
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(files.length);
    // What the bucket for documents has kept is a JPEG with nothing beside its pixels.
    for (const path of kept) {
      const { data } = await own.download(path);
      const bytes = Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer());
      const { format, exif, icc, xmp, iptc, pages } = await sharp(bytes).metadata();
      expect([path, format, exif, icc, xmp, iptc, pages ?? 1]).toEqual([
        path,
        'jpeg',
        undefined,
        undefined,
        undefined,
        undefined,
        1,
      ]);
      for (const word of [MARK, '<script', '<?php', '%PDF', 'PK\u0003\u0004']) expect(bytes.includes(word)).toBe(false);
    }
    const names = await readdir(join(server.dataDir, 'objects', 'objects'));
    expect(names.every((name) => /^[0-9a-f-]{36}$/.test(name))).toBe(true);
    expect([beacon.asked, /storage request failed|nobody caught/.exec(server.output())]).toEqual([[], null]);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect(highest - before).toBeLessThan(MEMORY_MAX);
  });

  test('what comes back as it was sent never runs in our origin', async () => {
    const bucket = server.service.storage.from('anything');
    const active = [
      'text/html',
      'image/svg+xml',
      'application/xhtml+xml',
      'text/xml',
      'application/xml',
      'text/javascript',
      'application/pdf',
      'image/jpeg; x',
      'text/html;charset=x',
      'IMAGE/SVG+XML',
    ];
    for (const [at, type] of active.entries()) {
      await bucket.upload(`active/${at}`, '<script>1</script>', { contentType: type });
      const { headers } = await fetch(`${server.url}/storage/v1/object/public/anything/active/${at}`);
      expect([headers.get('content-type'), headers.get('content-disposition')?.split(';')[0]]).toEqual([
        type,
        type.startsWith('image/jpeg') ? 'inline' : 'attachment',
      ]);
      expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([
        "default-src 'none'; sandbox",
        'nosniff',
      ]);
    }
  });
});

const BLANK = { create: { width: 9, height: 9, channels: 3, background: '#fff' } } as const;
const refusal: unknown = expect.objectContaining({ statusCode: expect.stringMatching(/^4\d\d$/) });

async function startBeacon(): Promise<{ url: string; asked: string[]; close: () => void }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('x');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  // A TCP server has an AddressInfo once it listens.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close: () => server.close() };
}

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

/** Packed as they come, so that making a bomb takes no memory that would be counted. */
async function manyZeros(size: number, packer: Transform = createDeflate({ level: 9 })): Promise<Buffer> {
  function* pieces(): Generator<Buffer> {
    for (let left = size; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536));
  }
  const packed: Buffer[] = [];
  for await (const part of Readable.from(pieces()).pipe(packer)) packed.push(part as Buffer);
  return Buffer.concat(packed);
}

/** Two hundred of them, made here: bombs, two things at once, halves, liars, and pictures that say too much. */
async function corpus(beacon: string): Promise<Hostile[]> {
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
      for (let at = 12 + seed; at < broken.length; at += 7 * seed + 3) broken[at] = (broken[at]! * 31 + seed) & 255;
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
    Array.from({ length: 40 }, (_, at) =>
      sharp({ create: { width: 200, height: 200, channels: 3, background: { r: at * 6, g: 0, b: 0 } } })
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
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
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
        Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * at * 7 + 13 * at) & 255)),
      ]),
    );
  }
  add('ten megabytes and one', () => Buffer.concat([pictures.jpeg, Buffer.alloc(10_485_761 - pictures.jpeg.length)]));
  add('ten megabytes', () => Buffer.concat([pictures.jpeg, Buffer.alloc(10_485_760 - pictures.jpeg.length)]));
  return found;
}
