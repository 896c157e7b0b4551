import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressAnswer } from './compress.ts';

const answer = (body: string | null, headers: Record<string, string> = {}): Parameters<typeof compressAnswer>[0] => ({
  status: 200,
  headers,
  body,
});
const long = JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: 'Zoë’s town' })));

test.each(['gzip', 'br, gzip', 'GZIP;q=0.5, br', 'deflate,gzip ; q=1.0'])(
  'a long answer is compressed for a client that accepts %s',
  async (accepted) => {
    const { body, headers } = await compressAnswer(answer(long, { vary: 'apikey' }), accepted);
    if (!(body instanceof Uint8Array)) throw new Error('it was not compressed');
    expect(gunzipSync(body).toString('utf8')).toBe(long);
    expect(body.length).toBeLessThan(long.length / 4);
    expect(headers).toEqual({ vary: 'apikey, accept-encoding', 'content-encoding': 'gzip' });
  },
);

test.each([undefined, '', 'br', 'gzip;q=0', 'gzip; q=0.000, br', 'xgzip'])(
  'a long answer is left as it is, and says that it depends on the encoding, for a client that accepts %s',
  async (accepted) => {
    expect(await compressAnswer(answer(long), accepted)).toEqual({
      status: 200,
      headers: { vary: 'accept-encoding' },
      body: long,
    });
  },
);

test('answers that are short, empty or encoded by a function are left as they are', async () => {
  for (const response of [answer('[]'), answer(null), answer(long, { 'content-encoding': 'br' })])
    expect(await compressAnswer(response, 'gzip')).toBe(response);
});
