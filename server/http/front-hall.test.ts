import { expect, test } from 'vitest';
import { addressOf, createFrontHall } from './front-hall.ts';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hall = createFrontHall({ log: silent, trustedProxies: 0, production: false, observe: () => undefined });
hall.get('/rest/v1/thing', () => Response.json({ of: 'value' }, { headers: { 'content-range': '0-0/1' } }));
hall.post('/auth/v1/thing', async (c) => c.json({ length: (await c.req.text()).length }));
hall.get('/page', (c) => c.html('<p>page</p>'));

test('an answer of a door may be read by any page, with the headers that the client reads', async () => {
  const answer = await hall.request('/rest/v1/thing', { headers: { origin: 'https://elsewhere.example' } });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-expose-headers')?.split(',')).toEqual(
    expect.arrayContaining(['content-range', 'x-relay-error', 'x-request-id']),
  );
  expect(answer.headers.get('content-range')).toBe('0-0/1');
  expect(await answer.json()).toEqual({ of: 'value' });
});

test('a browser that asks first is told what it may send', async () => {
  const answer = await hall.request('/auth/v1/thing', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'apikey,authorization,x-client-info',
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
  const allowed = answer.headers.get('access-control-allow-headers')?.toLowerCase().split(',');
  expect(allowed).toEqual(expect.arrayContaining(['apikey', 'authorization', 'x-client-info', 'prefer']));
});

test('a page is not for other origins and brings its guards', async () => {
  const answer = await hall.request('/page');
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'self'");
});

test('a body that is too large is refused in the words of its door', async () => {
  const answer = await hall.request('/auth/v1/thing', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) });
  expect(answer.status).toBe(413);
  expect(answer.headers.get('x-supabase-api-version')).toBe('2024-01-01');
  expect(await answer.json()).toEqual({ code: 'request_too_large', message: 'The request is too large' });
});

test('the address is the peer, or what the outermost trusted proxy says', () => {
  expect(addressOf('::ffff:10.0.0.1', undefined, 0)).toBe('10.0.0.1');
  expect(addressOf('10.0.0.1', '1.1.1.1, 2.2.2.2', 0)).toBe('10.0.0.1');
  expect(addressOf('10.0.0.1', '1.1.1.1, 2.2.2.2', 1)).toBe('2.2.2.2');
  expect(addressOf('2001:db8:1:2:3:4:5:6', undefined, 0)).toBe('2001:db8:1:2::');
});
