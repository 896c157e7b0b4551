import { expect, test } from 'vitest';
import { type EndedCall, observedList, ProviderError, withoutPersonal } from './call.ts';

test.each([
  ['Invalid email address: kim.lee+dj@example.com', 'Invalid email address: [email]'],
  ['550 5.1.1 <kim@example.com>: user unknown', '550 5.1.1 <[email]>: user unknown'],
  ["The 'To' number +61 412 345 678 is not valid", "The 'To' number [number] is not valid"],
  ['code 483920 is in use', 'code [number] is in use'],
  ['card 4242-4242-4242-4242 was declined', 'card [number] was declined'],
  ['Invalid API Key provided: sk_live_abc123', 'Invalid API Key provided: [secret]'],
  ['refused: Bearer abc.def-ghi', 'refused: [secret]'],
  ['token eyJhbGciOi.eyJzdWIi.x1_y ended', 'token [secret] ended'],
  ['GET https://api.example.com/v1/x?key=abc failed', 'GET [address] failed'],
  ['No such payment_intent: pi_3Q12345678901', 'No such payment_intent: pi_3Q12345678901'],
  ['connect ECONNREFUSED 127.0.0.1:443', 'connect ECONNREFUSED 127.0.0.1:443'],
  ['first\nsecond', 'first'],
])('%j of a provider is logged as %j', (words, logged) => {
  expect(withoutPersonal(words)).toBe(logged);
  expect(withoutPersonal('x '.repeat(1_000)).length).toBe(300);
});

test('an error keeps what the provider wrote, else what went wrong innermost, else its reason, without personal data', () => {
  const kind = { retryable: false };
  const cause = new Error('fetch failed', { cause: new Error('connect ECONNREFUSED kim@example.com') });
  expect(new ProviderError('mail', 'smtp_550', { ...kind, detail: 'no kim@example.com here' }, cause).detail).toBe(
    'no [email] here',
  );
  expect(new ProviderError('mail', 'no_response', kind, cause).detail).toBe('connect ECONNREFUSED [email]');
  expect(new ProviderError('mail', 'no_response', kind).detail).toBe('no_response');
});

/** Lists two keys, then fails or ends. */
async function* keys(fails: boolean, onClose: () => void): AsyncGenerator<string> {
  try {
    yield 'a';
    yield 'b';
    if (fails) throw new ProviderError('s3', 'no_response', { retryable: true });
  } finally {
    onClose();
  }
}

test.each([
  ['is read to its end', false, 9, ['a', 'b'], 'ok'],
  ['is left early', false, 1, ['a'], 'ok'],
  ['fails', true, 9, ['a', 'b'], 'failed'],
])('a list that %s is reported as one call, and closed', async (_how, fails, most, found, outcome) => {
  const ended: EndedCall[] = [];
  const read: string[] = [];
  let closed = 0;
  const source = keys(fails, () => (closed += 1));
  const list = observedList((call) => void ended.push(call), { provider: 's3', operation: 'list' }, source);
  const reading = (async () => {
    for await (const key of list) if (read.push(key) >= most) break;
  })();
  await (fails ? expect(reading).rejects.toThrow() : reading);
  expect(read).toEqual(found);
  expect(ended).toMatchObject([{ provider: 's3', operation: 'list', outcome }]);
  expect(closed).toBe(1);
});
