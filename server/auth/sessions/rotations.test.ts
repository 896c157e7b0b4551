import { expect, test } from 'vitest';
import type { Result, Transaction } from '#server/db/database.ts';
import { toTransaction } from '#server/db/transaction.ts';
import { createRotate, type Rotation } from './rotations.ts';

const config = { reuseSeconds: 10, sessionSeconds: null, inactivitySeconds: null };
const of = (number: number): Rotation => ({ token: { sessionId: `session ${number}`, generation: number }, ip: '' });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** A database whose statements finish when the test resolves them. `sent` lists the sessions of each statement. */
function createSlowDatabase() {
  const sent: string[][] = [];
  const open: PromiseWithResolvers<Result>[] = [];
  const query = (_: string, values: readonly unknown[] = []): Promise<Result> => {
    sent.push([values[4]].flat().map(String));
    const answer = Promise.withResolvers<Result>();
    open.push(answer);
    return answer.promise;
  };
  // Rows are cast where they are read, as with the real database.
  return { db: toTransaction(query as Transaction['query']), sent, open };
}

test('tokens that come while two statements run share the next one, and each gets its own row', async () => {
  const { db, sent, open } = createSlowDatabase();
  const rotate = createRotate({ db, clock: () => new Date(), config });
  const rotated: Promise<unknown>[] = [];
  for (const number of [1, 2]) {
    rotated.push(rotate(of(number)));
    await turn();
  }
  for (const number of [3, 4, 5]) rotated.push(rotate(of(number)));
  await turn();
  expect(sent).toEqual([['session 1'], ['session 2']]);
  open[0]?.resolve({ rows: [{ n: 1, id: 'one' }], count: 1 });
  await turn();
  expect(sent.slice(2)).toEqual([['session 3', 'session 4', 'session 5']]);
  open[1]?.resolve({ rows: [], count: 0 });
  open[2]?.resolve({
    rows: [
      { n: 3, id: 'five' },
      { n: 1, id: 'three' },
    ],
    count: 2,
  });
  expect(await Promise.all(rotated)).toEqual([
    { n: 1, id: 'one' },
    null,
    { n: 1, id: 'three' },
    null,
    { n: 3, id: 'five' },
  ]);
});

test('a statement that fails fails its own tokens, and later ones are sent', async () => {
  const { db, sent, open } = createSlowDatabase();
  const rotate = createRotate({ db, clock: () => new Date(), config });
  const failing = [rotate(of(1)), rotate(of(2))];
  await turn();
  expect(sent).toEqual([['session 1', 'session 2']]);
  open[0]?.reject(new Error('gone'));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const later = rotate(of(3));
  await turn();
  open[1]?.resolve({ rows: [], count: 0 });
  expect(await later).toBeNull();
});
