import { describe, expect, test } from 'vitest';
import { preparePhoto, readDataUrl } from './photo.ts';

describe('a photo of a licence', () => {
  const unreadable = {
    code: 'image_refused',
    message: 'We couldn’t read this photo. Please use a JPEG, PNG or WebP file.',
  };
  const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]);
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47]);
  const webp = Uint8Array.from(Buffer.from('RIFF....WEBP'));

  test.each([
    ['JPEG', jpeg],
    ['PNG', png],
    ['WebP', webp],
  ])('in %s is re-encoded, at most 2400 pixels wide', async (_kind, bytes) => {
    const edges: number[] = [];
    const pictures = {
      repack: async (_bytes: Uint8Array, edge: number) => (edges.push(edge), Uint8Array.from([1])),
    };
    expect(await preparePhoto(pictures, bytes)).toEqual(Uint8Array.from([1]));
    expect(edges).toEqual([2_400]);
  });

  test('of another format is refused before it is decoded, whatever its claimed type', async () => {
    const pictures = { repack: () => Promise.reject(new Error('decoded')) };
    const others = [
      Uint8Array.from([0xff, 0xd8, 0x00, 0xe0]),
      Uint8Array.from([0xff, 0x00, 0xff]),
      Uint8Array.from([0x00, 0xd8, 0xff]),
      Uint8Array.from(Buffer.from('\u0000PNG')),
      Uint8Array.from(Buffer.from('RIFF....WAVE')),
      Uint8Array.from(Buffer.from('....----WEBP')),
      new Uint8Array(),
    ];
    for (const bytes of others) await expect(preparePhoto(pictures, bytes)).rejects.toMatchObject(unreadable);
  });

  test('that cannot be decoded is refused; while too many wait, the customer is told to try again', async () => {
    await expect(preparePhoto({ repack: () => Promise.resolve('unreadable') }, jpeg)).rejects.toMatchObject(unreadable);
    await expect(preparePhoto({ repack: () => Promise.resolve('busy') }, jpeg)).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'We couldn’t read your ID just now. Please try again in a moment.',
    });
  });

  test('is a data URL of at most 10 MB', () => {
    expect([...readDataUrl('data:image/jpeg;base64,AQID')]).toEqual([1, 2, 3]);
    for (const kind of ['jpg', 'png', 'webp']) expect(readDataUrl(`data:image/${kind};base64,AQI=`)).toHaveLength(2);
    for (const text of ['data:image/gif;base64,AQID', 'data:image/png;base64,', 'xdata:image/png;base64,AQID', 'AQID'])
      expect(() => readDataUrl(text), text).toThrow(expect.objectContaining(unreadable));
    const most = 10 * 1024 * 1024;
    const url = (bytes: number): string => `data:image/png;base64,${Buffer.alloc(bytes).toString('base64')}`;
    expect(readDataUrl(url(most))).toHaveLength(most);
    expect(() => readDataUrl(url(most + 1))).toThrow(
      expect.objectContaining({ code: 'image_refused', message: 'Please upload an image smaller than 10MB.' }),
    );
  });
});
