import { expect, test } from 'vitest';
import { createCheckQueue } from './check-queue.ts';

/** Work that the test completes or fails by hand. */
function step(name: string, log: string[]): { work: () => Promise<string>; end: () => void; fail: () => void } {
  let resolve: (value: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const done = new Promise<string>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return {
    work: () => {
      log.push(name);
      return done;
    },
    end: () => resolve(name),
    fail: () => reject(new Error(name)),
  };
}
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('accounts take turns in order, one at a time, and a failed check lets the next one start', async () => {
  const queue = createCheckQueue({ atOnce: 1, waiting: 4 });
  const log: string[] = [];
  const [a, b, c] = [step('a', log), step('b', log), step('c', log)];
  const results = [queue.run('a', a.work), queue.run('b', b.work), queue.run('c', c.work)];
  await nextTurn();
  expect(log).toEqual(['a']);
  a.fail();
  await expect(results[0]).rejects.toThrow('a');
  await nextTurn();
  expect(log).toEqual(['a', 'b']);
  b.end();
  c.end();
  expect(await Promise.all(results.slice(1))).toEqual(['b', 'c']);
});

test('a second check of an account is refused while the first waits or runs, and admitted after it', async () => {
  const queue = createCheckQueue({ atOnce: 1, waiting: 4 });
  const log: string[] = [];
  const [a, b] = [step('a', log), step('b', log)];
  const first = queue.run('a', a.work);
  const second = queue.run('b', b.work);
  for (const account of ['a', 'b'])
    await expect(queue.run(account, () => Promise.resolve('x'))).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'We’re still reading your last photo. Please wait a moment.',
      details: { retryAfter: 15 },
    });
  a.end();
  await first;
  const third = queue.run('a', () => Promise.resolve('again'));
  b.end();
  expect(await Promise.all([second, third])).toEqual(['b', 'again']);
});

test("a check beyond the queue's limit is refused at once with provider_unavailable", async () => {
  const queue = createCheckQueue({ atOnce: 2, waiting: 2 });
  const log: string[] = [];
  const steps = ['a', 'b', 'c', 'd'].map((name) => step(name, log));
  const results = steps.map((step, index) => queue.run(String(index), step.work));
  await nextTurn();
  expect(log).toEqual(['a', 'b']);
  await expect(queue.run('another', () => Promise.resolve('x'))).rejects.toMatchObject({
    code: 'provider_unavailable',
    message: 'We’re reading several IDs right now. Please try again in a moment.',
    details: { retryAfter: 15 },
  });
  for (const step of steps) step.end();
  await Promise.all(results);
  expect(await queue.run('another', () => Promise.resolve('x'))).toBe('x');
});
