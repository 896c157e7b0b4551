import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPictures, type Pictures } from './pictures.ts';

let pictures: Pictures;
beforeEach(() => {
  pictures = createPictures();
});
afterEach(() => pictures.close());

const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 40, height: 20, channels: 3, background: '#123' } })
    .withExif({ IFD0: { Copyright: 'where I live' } })
    .png()
    .toBuffer();
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  yield bytes;
}

test('a picture is re-encoded without metadata, several times in a row', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { format, exif, width } = await sharp(await pictures.reencode(once(await photo()), 10_000)).metadata();
    expect([format, exif, width]).toEqual(['jpeg', undefined, 40]);
  }
});

test('bytes that are no picture or exceed the limit are refused while valid pictures are served', async () => {
  const good = await photo();
  const answers = await Promise.allSettled([
    pictures.reencode(once(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')), 1_000),
    pictures.reencode(once(good), 10_000),
    pictures.reencode(once(new Uint8Array(11)), 10),
    pictures.reencode(once(good.subarray(0, 60)), 10_000),
  ]);
  const statuses = answers.map((answer) => (answer.status === 'fulfilled' ? 'made' : String(answer.reason.statusCode)));
  expect(statuses).toEqual(['415', 'made', '413', '415']);
});

test('a large photo is shrunk, a small one keeps its size, and unreadable bytes or a closed service return a reason', async () => {
  const large = await sharp({ create: { width: 400, height: 100, channels: 3, background: '#123' } })
    .webp()
    .toBuffer();
  const sizes = [];
  for (const bytes of [large, await photo()]) {
    const repacked = await pictures.repack(bytes, 200);
    const { format, width, height } = await sharp(typeof repacked === 'string' ? undefined : repacked).metadata();
    sizes.push([format, width, height]);
  }
  expect(sizes).toEqual([
    ['jpeg', 200, 50],
    ['jpeg', 40, 20],
  ]);
  expect(await pictures.repack(Buffer.from('\xff\xd8\xff and no more', 'latin1'), 200)).toBe('unreadable');
  pictures.close();
  expect(await pictures.repack(large, 200)).toBe('busy');
});

test('a photo whose text is read becomes a greyscale PNG of full contrast that fills the given width', async () => {
  const leftHalf = {
    input: { create: { width: 20, height: 20, channels: 3, background: '#676' } },
    left: 0,
    top: 0,
  } as const;
  const dull = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#787' } })
    .composite([leftHalf])
    .jpeg()
    .toBuffer();
  const enhanced = await pictures.enhanceText(dull, { width: 80, height: 240 });
  const clear = sharp(typeof enhanced === 'string' ? undefined : enhanced);
  expect(await clear.metadata()).toMatchObject({ format: 'png', width: 80, height: 40, channels: 1 });
  const { channels } = await clear.stats();
  expect(channels[0]?.min).toBeLessThan(10);
  expect(channels[0]?.max).toBeGreaterThan(245);
  expect(await pictures.enhanceText(await photo(), { width: 80, height: 240 })).toBe('unreadable');
});

test('a picture is refused as busy while memory is full and accepted afterwards', async () => {
  const { promise: coming, resolve: arrive } = Promise.withResolvers<Uint8Array>();
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield await coming;
  }
  const first = pictures.reencode(slowly(), 128 * 1024 * 1024);
  await expect(pictures.reencode(once(await photo()), 10_000)).rejects.toMatchObject({
    statusCode: '503',
    status: 503,
  });
  arrive(await photo());
  expect((await first).byteLength).toBeGreaterThan(100);
  expect((await pictures.reencode(once(await photo()), 10_000)).byteLength).toBeGreaterThan(100);
});

test('a picture is refused as busy after close', async () => {
  pictures.close();
  await expect(pictures.reencode(once(await photo()), 10_000)).rejects.toMatchObject({ statusCode: '503' });
});
