import { describe, expect, test } from 'vitest';
import { createCouponGuesses } from '#server/operations/bookings/coupon-guesses.ts';
import { prepareImage, readDataUrl } from '#server/operations/id-image.ts';
import { createFakeDatabase } from '#tests/support/fake-database.ts';

describe('looks at a coupon code', () => {
  test('pass while the database admits them, counted for the person and the address', async () => {
    const { db, values } = createFakeDatabase({ admitted: true, wait: 12 });
    await createCouponGuesses({ db }).count('me', '203.0.113.7');
    expect(values).toEqual([['me', '203.0.113.7']]);
  });

  test.each([
    [{ admitted: false, wait: 12 }, 12],
    [{ admitted: false, wait: 0 }, 1],
    [null, 60],
  ])('are refused with the seconds to wait: %j means %i', async (row, retryAfter) => {
    const { db } = createFakeDatabase(row);
    await expect(createCouponGuesses({ db }).count('me', '')).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'Too many attempts. Please try again in a minute.',
      details: { retryAfter },
    });
  });
});

describe('a photo of a licence', () => {
  const cannotBeRead = {
    code: 'image_refused',
    message: 'This picture cannot be read. Please use a JPEG, PNG or WebP photo.',
  };
  const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
  const webp = Uint8Array.from(Buffer.from('RIFF....WEBP'));

  test.each([
    ['JPEG', jpeg],
    ['PNG', png],
    ['WebP', webp],
  ])('that is a %s is repacked, at most 2400 pixels wide', async (_kind, bytes) => {
    const edges: number[] = [];
    const pictures = {
      repack: async (_bytes: Uint8Array, edge: number) => (edges.push(edge), Uint8Array.from([1])),
    };
    expect(await prepareImage(pictures, bytes)).toEqual(Uint8Array.from([1]));
    expect(edges).toEqual([2_400]);
  });

  test('that is none of these is refused unopened, whatever it calls itself', async () => {
    const pictures = { repack: () => Promise.reject(new Error('not asked in this test')) };
    const others = [
      Uint8Array.from([0xff, 0xd8, 0x00, 0xe0]),
      Uint8Array.from([0xff, 0x00, 0xff]),
      Uint8Array.from([0x00, 0xd8, 0xff]),
      Uint8Array.from(Buffer.from('\u0000PNG')),
      Uint8Array.from(Buffer.from('RIFF....WAVE')),
      Uint8Array.from(Buffer.from('....----WEBP')),
      new Uint8Array(),
    ];
    for (const bytes of others) await expect(prepareImage(pictures, bytes)).rejects.toMatchObject(cannotBeRead);
  });

  test('that cannot be opened is refused; with too many waiting the customer is asked to try again', async () => {
    await expect(prepareImage({ repack: () => Promise.resolve('unreadable') }, jpeg)).rejects.toMatchObject(
      cannotBeRead,
    );
    await expect(prepareImage({ repack: () => Promise.resolve('busy') }, jpeg)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'Your ID could not be read right now. Please try again in a moment.',
    });
  });

  test('comes as a data URL of at most 10 MB', () => {
    expect([...readDataUrl('data:image/jpeg;base64,AQID')]).toEqual([1, 2, 3]);
    for (const kind of ['jpg', 'png', 'webp']) expect(readDataUrl(`data:image/${kind};base64,AQI=`)).toHaveLength(2);
    for (const text of ['data:image/gif;base64,AQID', 'data:image/png;base64,', 'xdata:image/png;base64,AQID', 'AQID'])
      expect(() => readDataUrl(text), text).toThrow(expect.objectContaining(cannotBeRead));
    const most = 10 * 1024 * 1024;
    const url = (bytes: number): string => `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;
    expect(readDataUrl(url(most))).toHaveLength(most);
    expect(() => readDataUrl(url(most + 1))).toThrow(
      expect.objectContaining({ code: 'image_refused', message: 'Image size must be less than 10MB' }),
    );
  });
});
