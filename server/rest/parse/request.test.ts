import { expect, test } from 'vitest';
import { headersFor } from './request.ts';

test('functions see the headers of a request as JSON, without those that carry secrets', () => {
  const headers = {
    host: 'api.test',
    'x-quoted': 'a "b" \\ Zoë',
    authorization: 'Bearer secret',
    apikey: 'secret',
    cookie: 'secret',
    'proxy-authorization': 'secret',
    'x-many': ['1', '2'],
    'x-none': undefined,
  };
  expect(JSON.parse(headersFor(headers))).toEqual({
    host: 'api.test',
    'x-quoted': 'a "b" \\ Zoë',
    'x-many': '1, 2',
  });
  expect(headersFor({})).toBe('{}');
});
