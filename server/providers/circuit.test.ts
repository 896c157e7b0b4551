import { expect, test } from 'vitest';
import { CIRCUIT_OPEN, CIRCUIT_OPEN_MS, type EndedCall, ProviderError } from './call.ts';
import { createCircuit } from './circuit.ts';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const down = new ProviderError('test', 'no_response', { retryable: true, ambiguous: true });

function opened(more: { atOnce?: number } = {}) {
  let now = Date.parse('2026-05-01T00:00:00Z');
  let calls = 0;
  const ended: EndedCall[] = [];
  const observe = (call: EndedCall): void => void ended.push(call);
  const circuit = createCircuit({ provider: 'test', clock: () => new Date(now), log, observe, ...more });
  return {
    circuit,
    ended,
    advance: (ms: number) => void (now += ms),
    calls: () => calls,
    call: (outcome: () => Promise<string>) =>
      circuit.run({ operation: 'try', about: ['b-1'] }, () => {
        calls += 1;
        return outcome();
      }),
  };
}
const getReason = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof ProviderError ? error.reason : String(error)),
  );

test('after five failures in a row calls fail at once, retryable and not ambiguous, and a trial after ten seconds closes the circuit', async () => {
  const { circuit, advance, call, calls } = opened();
  for (let n = 0; n < 5; n += 1) expect(await getReason(call(() => Promise.reject(down)))).toBe('no_response');
  expect([circuit.isOpen(), circuit.capacity()]).toEqual([true, 0]);
  const refused = await call(() => Promise.resolve('never')).catch((error: unknown) => error);
  expect(refused).toMatchObject({ reason: CIRCUIT_OPEN, retryable: true, ambiguous: false });
  expect(calls()).toBe(5);
  advance(CIRCUIT_OPEN_MS - 1);
  expect(await getReason(call(() => Promise.resolve('never')))).toBe(CIRCUIT_OPEN);
  advance(1);
  expect(circuit.capacity()).toBe(1);
  expect(await call(() => Promise.resolve('back'))).toBe('back');
  expect([circuit.isOpen(), circuit.capacity()]).toEqual([false, Number.POSITIVE_INFINITY]);
});

test('a failed trial keeps the circuit open for another ten seconds', async () => {
  const { circuit, advance, call, calls } = opened();
  for (let n = 0; n < 5; n += 1) await getReason(call(() => Promise.reject(down)));
  for (let round = 0; round < 3; round += 1) {
    advance(CIRCUIT_OPEN_MS);
    expect(await getReason(call(() => Promise.reject(down)))).toBe('no_response');
    expect(await getReason(call(() => Promise.resolve('never')))).toBe(CIRCUIT_OPEN);
  }
  expect(calls()).toBe(8);
  expect(circuit.isOpen()).toBe(true);
});

test('other calls do not wait for a running trial', async () => {
  const { advance, call } = opened();
  for (let n = 0; n < 5; n += 1) await getReason(call(() => Promise.reject(down)));
  advance(CIRCUIT_OPEN_MS);
  let answer: (text: string) => void = () => undefined;
  const trial = call(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  expect(await getReason(call(() => Promise.resolve('never')))).toBe(CIRCUIT_OPEN);
  answer('back');
  expect(await trial).toBe('back');
});

test('a refusal counts as an answer: it never opens the circuit, and resets the count of failures', async () => {
  const { circuit, call } = opened();
  const no = new ProviderError('test', 'card_declined', { retryable: false });
  const busy = new ProviderError('test', 'in_use', { retryable: true, outage: false });
  for (let n = 0; n < 20; n += 1) {
    expect(await getReason(call(() => Promise.reject(down)))).toBe('no_response');
    expect(await getReason(call(() => Promise.reject(n % 2 === 0 ? no : busy)))).toBe(
      n % 2 === 0 ? 'card_declined' : 'in_use',
    );
  }
  expect(circuit.isOpen()).toBe(false);
});

test('a call that does not end within its budget is an ambiguous failure', async () => {
  const { circuit } = opened();
  const late = await circuit
    .run({ operation: 'try' }, () => new Promise(() => undefined), 10)
    .catch((error: unknown) => error);
  expect(late).toMatchObject({ reason: 'no_response', retryable: true, ambiguous: true });
});

test('calls are limited in number, and waiting calls are cancelled when the circuit opens', async () => {
  const { call, calls } = opened({ atOnce: 2 });
  const reasons = await Promise.all(Array.from({ length: 12 }, () => getReason(call(() => Promise.reject(down)))));
  expect(reasons.filter((reason) => reason === CIRCUIT_OPEN).length).toBeGreaterThanOrEqual(6);
  expect(calls()).toBeLessThanOrEqual(6);
});

test('each call is reported once with its operation, what it is about and how it ended', async () => {
  const { call, ended } = opened();
  const refused = new ProviderError('test', 'no_such_card', { retryable: false });
  await getReason(call(() => Promise.resolve('yes')));
  await getReason(call(() => Promise.reject(refused)));
  for (let n = 0; n < 6; n += 1) await getReason(call(() => Promise.reject(down)));
  const outcomes = ended.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['ok', 'refused', ...Array<string>(5).fill('failed'), 'not_called']);
  expect(ended[1]).toMatchObject({ provider: 'test', operation: 'try', about: ['b-1'], error: refused });
  for (const { seconds } of ended) expect(seconds).toBeGreaterThanOrEqual(0);
});
