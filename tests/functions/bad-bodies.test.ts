import { expect, test } from 'vitest';
import * as contracts from '#contracts/calls.ts';
import type { Call } from '#contracts/core/define-call.ts';
import { createFunctionsApp, readResponse } from './test-app.ts';

/** Bodies that differ from the example of a contract in a single fault, generated from the contract. */

/** The values that replace each value of an example. */
const WRONG: readonly unknown[] = [
  null,
  7,
  -1,
  1e308,
  true,
  'x'.repeat(5_000),
  '',
  [],
  {},
  '<script>',
  '2031-02-30T00:00:00Z',
];

type Change = { readonly at: string; readonly body: unknown };

/** Returns variants of the body: each of its values replaced by each wrong one, and each of its fields left out. */
function getChanges(body: unknown, wrap: (inner: unknown) => unknown = (inner) => inner, at = 'body'): Change[] {
  const replaced = WRONG.map((value) => ({ at: `${at} = ${JSON.stringify(value).slice(0, 30)}`, body: wrap(value) }));
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return replaced;
  return [
    ...replaced,
    ...Object.entries(body).flatMap(([name, value]) => {
      const { [name]: _left, ...others } = Object.fromEntries(Object.entries(body));
      return [
        { at: `${at} without ${name}`, body: wrap(others) },
        ...getChanges(value, (inner) => wrap({ ...body, [name]: inner }), `${at}.${name}`),
      ];
    }),
  ];
}

const CALLS = Object.values<Call>(contracts).filter(
  ({ callers, methods }) => methods.includes('POST') && callers !== 'provider' && callers !== 'link',
);

test.each(CALLS)('$name refuses each body that its contract refuses, and calls no operation', async (call) => {
  const app = createFunctionsApp();
  const by = call.callers === 'signed-in' ? 'person' : call.callers === 'everyone' ? 'guest' : 'staff';
  for (const { at, body } of getChanges(call.example.body)) {
    if (call.body.safeParse(body).success) continue;
    const { status, body: answer } = await readResponse(await app.send(call.name, by, { body: JSON.stringify(body) }));
    expect({ at, status, answer }).toMatchObject({ status: 400 });
    // `regenerate-pin` has its own format for refusals.
    if (call.name !== 'regenerate-pin')
      expect(answer).toMatchObject({ error: { code: 'invalid_request', message: expect.stringMatching(/\w/) } });
  }
  expect(app.calls.filter(([name]) => name !== 'readCaller')).toEqual([]);
});

test('most calls have bodies that they refuse', () => {
  const refusing = CALLS.filter((call) =>
    getChanges(call.example.body).some(({ body }) => !call.body.safeParse(body).success),
  );
  expect(refusing.length).toBeGreaterThan(CALLS.length * 0.8);
});
