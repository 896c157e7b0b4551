import { expect, test } from 'vitest';
import { z } from 'zod';
import { readRestConfig, restFields } from './rest.ts';

const schema = z.object(restFields);

test('guests may send 600 requests a minute, and answers may have 2, 8 and 64 megabytes, unless configured otherwise', () => {
  expect(readRestConfig(schema.parse({}))).toMatchObject({
    guestPerMinute: 600,
    answerBytes: { guest: 2_000_000, user: 8_000_000, service: 64_000_000 },
  });
  const given = {
    REST_GUEST_PER_MINUTE: '60',
    REST_GUEST_MAX_BYTES: '10000',
    REST_USER_MAX_BYTES: '20000',
    REST_SERVICE_MAX_BYTES: '30000',
  };
  expect(readRestConfig(schema.parse(given))).toMatchObject({
    guestPerMinute: 60,
    answerBytes: { guest: 10_000, user: 20_000, service: 30_000 },
  });
});

test.each([
  ['REST_GUEST_PER_MINUTE', '0'],
  ['REST_GUEST_PER_MINUTE', '1.5'],
  ['REST_GUEST_PER_MINUTE', 'many'],
  ['REST_GUEST_MAX_BYTES', '9999'],
  ['REST_SERVICE_MAX_BYTES', '500000001'],
])('%s cannot be %s', (name, value) => {
  expect(schema.safeParse({ [name]: value }).error?.issues[0]?.path).toEqual([name]);
});
