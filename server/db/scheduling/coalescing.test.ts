import { expect, test } from 'vitest';
import { createCoalescing } from './coalescing.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Reads of a value that changes. The test begins and ends each execution, which returns the value at its beginning. */
function database() {
  const coalesce = createCoalescing<string>();
  const executions: { begin(): void; end(): void; fail(): void }[] = [];
  let value = 'first';
  const read = (key = 'a'): Promise<string> =>
    coalesce(key, async (started) => {
      const begun = Promise.withResolvers<void>();
      const over = Promise.withResolvers<void>();
      executions.push({ begin: begun.resolve, end: over.resolve, fail: () => begun.reject(new Error('refused')) });
      await begun.promise;
      started?.();
      const seen = value;
      await over.promise;
      return seen;
    });
  return { read, executions, change: (to: string) => void (value = to) };
}

test('equal reads that wait share one execution, and others have their own', async () => {
  const { read, executions } = database();
  const reads = [read(), read(), read('b'), read()];
  await settled();
  expect(executions).toHaveLength(2);
  for (const { begin, end } of executions) {
    begin();
    end();
  }
  expect(await Promise.all(reads)).toEqual(['first', 'first', 'first', 'first']);
});

test('a read that arrives after an execution has begun sees what changed since, in one more execution', async () => {
  const { read, executions, change } = database();
  const early = read();
  await settled();
  executions[0]?.begin();
  await settled();
  change('second');
  const late = [read(), read()];
  await settled();
  // The second execution waits for the end of the running one.
  expect(executions).toHaveLength(1);
  executions[0]?.end();
  await settled();
  expect(executions).toHaveLength(2);
  executions[1]?.begin();
  executions[1]?.end();
  expect(await Promise.all([early, ...late])).toEqual(['first', 'second', 'second']);
});

test('who shares an execution that fails has one of their own, and nothing is kept', async () => {
  const { read, executions } = database();
  const [first, other] = [read(), read()];
  await settled();
  executions[0]?.fail();
  await expect(first).rejects.toThrow('refused');
  await settled();
  executions[1]?.begin();
  executions[1]?.end();
  expect(await other).toBe('first');
  const next = read();
  await settled();
  expect(executions).toHaveLength(3);
  executions[2]?.begin();
  executions[2]?.end();
  expect(await next).toBe('first');
});
