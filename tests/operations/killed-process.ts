import type { Database, Transaction } from '#server/db/database.ts';
import type { Payments } from '#server/providers/ports.ts';

type Reaching = { readonly db: Database; readonly payments: Payments };

/**
 * Returns a context whose process is killed at the given step: nothing works afterwards. Each statement, transaction and payment provider
 * call is a step. `lost`: the effect of the step remains, only its answer is lost. `steps` counts the steps.
 */
export function killedAt<Context extends Reaching>(
  own: Context,
  step: number,
  lost: boolean,
): { readonly context: Context; readonly steps: () => number } {
  let at = 0;
  const guard = async <T>(run: () => Promise<T>): Promise<T> => {
    at += 1;
    if (at > step || (at === step && !lost)) throw new Error('killed');
    const answer = await run();
    if (at >= step) throw new Error('killed');
    return answer;
  };
  const guarded = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (from, name) => {
        const call: unknown = Reflect.get(from, name);
        return typeof call === 'function' ? (...given: unknown[]) => guard(async () => call.apply(from, given)) : call;
      },
    });
  const db = new Proxy(guarded(own.db), {
    get: (from, name) => {
      if (name !== 'transaction') return Reflect.get(from, name);
      return (work: (tx: Transaction) => Promise<unknown>) =>
        guard(async () => own.db.transaction((tx) => work(guarded(tx))));
    },
  });
  return { context: { ...own, payments: guarded(own.payments), db }, steps: () => at };
}
