import { DatabaseError, type Query, type Transaction } from '../database.ts';
import { type Statement, typed } from '../pipeline.ts';
import { toTransaction } from '../transaction.ts';
import { last, type RunPipeline } from './engine-pipeline.ts';
import type { EngineHost } from './host.ts';

/**
 * Runs `work` in a transaction that begins with its first statement. `limitMs` covers its statements and the time between them: a
 * transaction that stays idle past it is rolled back, because all other statements wait behind it.
 */
export async function runTransaction<T>(
  runPipeline: RunPipeline,
  host: EngineHost,
  limitMs: number | null,
  first: readonly Statement[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const generation = host.generation();
  const began = performance.now();
  const getRemainingMs = (): number | null =>
    limitMs === null ? null : Math.max(1, limitMs - (performance.now() - began));
  let opening: readonly Statement[] | null = [{ text: 'begin', values: [] }, ...first];
  let over: DatabaseError | null = null;
  let running: Promise<unknown> | null = null;
  const query: Query = async <R>(text: string, values: readonly unknown[] = []) => {
    // Statements of one transaction run in order, even if they are not awaited individually.
    while (running) await running;
    if (over) throw over;
    if (generation !== host.generation()) throw interrupted();
    const before = opening ?? [];
    opening = null;
    const pipeline = runPipeline([...before, { text, values }], getRemainingMs());
    running = pipeline.then(
      () => (running = null),
      () => (running = null),
    );
    return typed<R>(last(await pipeline));
  };
  let timer: NodeJS.Timeout | null = null;
  const timeout = new Promise<never>((_resolve, reject) => {
    if (limitMs === null) return;
    const check = (): void => {
      // The watchdog stops a running statement; this timer ends only an idle transaction.
      if (running) timer = setTimeout(check, 10);
      else reject((over = idleTooLong()));
    };
    timer = setTimeout(check, limitMs);
  });
  const finish = async (text: 'commit' | 'rollback'): Promise<void> => {
    while (running) await running;
    if (!opening && generation === host.generation() && host.isUp()) await runPipeline([{ text, values: [] }], limitMs);
    else if (!opening && text === 'commit') throw interrupted();
  };
  try {
    const outcome = await Promise.race([work(toTransaction(query)), timeout]);
    if (timer) clearTimeout(timer);
    over ??= new DatabaseError({ code: '25P01', message: 'the transaction has ended' });
    await finish('commit');
    return outcome;
  } catch (error) {
    if (timer) clearTimeout(timer);
    over ??= new DatabaseError({ code: '25P01', message: 'the transaction has ended' });
    await finish('rollback');
    throw error;
  }
}

const interrupted = (): DatabaseError =>
  new DatabaseError({ code: '57P01', message: 'the transaction was interrupted and rolled back' });
const idleTooLong = (): DatabaseError =>
  new DatabaseError({ code: '25P03', message: 'the transaction was idle for too long and rolled back' });
