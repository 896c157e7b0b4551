import { expect, test } from 'vitest';
import { createBodyBudget, hasBody, isJson, readBytes, within } from './bodies.ts';

/** A request whose body has these chunks and no content-length. With `open`, the body never ends. */
function streamed(chunks: readonly string[], open = false): Request {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      if (!open) controller.close();
    },
  });
  const headers = { 'transfer-encoding': 'chunked' };
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half', headers });
}

test('the budget refuses one sender with 429 and everybody with 503, and releases bytes only once', () => {
  const budget = createBodyBudget({ total: 100, perSender: 60 });
  const first = budget.reserve('a', 60);
  expect(() => budget.reserve('a', 1)).toThrow(expect.objectContaining({ status: 429, retryAfter: 2 }));
  const second = budget.reserve('b', 40);
  expect(() => budget.reserve('c', 1)).toThrow(expect.objectContaining({ status: 503, retryAfter: 2 }));
  first();
  first();
  expect(budget.reserved()).toBe(40);
  budget.reserve('a', 60)();
  second();
  expect(budget.reserved()).toBe(0);
});

test('a body of unknown length is read up to its limit and refused with 413 beyond it', async () => {
  expect((await readBytes(streamed(['abc', 'def']), 6)).toString()).toBe('abcdef');
  await expect(readBytes(streamed(['abc', 'defg']), 6)).rejects.toMatchObject({ status: 413 });
});

test('an announced length over the limit is refused without reading', async () => {
  const request = new Request('http://localhost/', { method: 'POST', body: 'x', headers: { 'content-length': '7' } });
  await expect(readBytes(request, 6)).rejects.toMatchObject({ status: 413 });
  expect(request.bodyUsed).toBe(false);
});

test('a body that stops arriving is refused with 408', async () => {
  await expect(readBytes(streamed(['abc'], true), 6, 20)).rejects.toMatchObject({ status: 408 });
});

test('work that finishes in time returns its result, and its error is passed on', async () => {
  expect(await within(1_000, Promise.resolve('done'))).toBe('done');
  await expect(within(1_000, Promise.reject(new Error('own')))).rejects.toThrow('own');
});

test.each([
  ['application/json', true],
  ['application/json;charset=UTF-8', true],
  ['APPLICATION/JSON; charset=utf-8', true],
  ['application/vnd.api+json', true],
  ['text/plain', false],
  ['text/plain;application/json', false],
  ['application/jsonx', false],
  ['application/x-www-form-urlencoded', false],
  ['multipart/form-data; boundary=json', false],
  ['', false],
])('content-type %j is JSON: %s', (type, expected) => {
  expect(isJson(new Headers(type === '' ? {} : { 'content-type': type }))).toBe(expected);
});

test('a body is announced by a length above zero or a transfer-encoding', () => {
  expect(hasBody(new Headers())).toBe(false);
  expect(hasBody(new Headers({ 'content-length': '0' }))).toBe(false);
  expect(hasBody(new Headers({ 'content-length': '1' }))).toBe(true);
  expect(hasBody(new Headers({ 'transfer-encoding': 'chunked' }))).toBe(true);
});
