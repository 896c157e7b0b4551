import type { Database, Transaction } from '#server/db/database.ts';
import type { Payments } from '#server/providers/ports.ts';

type Reaching = { readonly db: Database; readonly payments: Payments };

/**
 * A context whose process is killed at the given step: nothing works afterwards. Each statement, transaction and call of the payment provider is a step.
 * `lost`: what the step did stays, only its answer is lost. `steps` says how many there were.
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
