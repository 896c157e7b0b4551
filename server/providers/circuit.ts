import {
  bulkhead,
  type BulkheadPolicy,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleAll,
  type IBackoff,
  TaskCancelledError,
  timeout,
  TimeoutStrategy,
} from 'cockatiel';
import type { Clock, Log } from '#server/http/caller.ts';
import { CIRCUIT_OPEN, CIRCUIT_OPEN_MS, PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';

/** A circuit breaker around the calls to one outside system. */
export type Circuit = {
  readonly provider: string;
  /**
   * Makes a call within `budgetMs`. Throws `ProviderError`: 'no_answer' when the time is up (the effect may still happen), and
   * at once `CIRCUIT_OPEN` while the system is known to be down.
   */
  run<T>(call: () => Promise<T>, budgetMs?: number): Promise<T>;
  /** How many calls may begin now: any number, one as a trial, or none. */
  room(): number;
  readonly isOpen: () => boolean;
};

export type CircuitOptions = {
  readonly provider: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Failures in a row after which no more calls are made. */
  readonly failures?: number;
  /** How long none is made; then one trial decides. */
  readonly openMs?: number;
  /** Calls under way at the same time; more wait. Default: any number. */
  readonly atOnce?: number;
};

const FAILURES = 5;
/** A little over what one request may take: the request's own limit comes first. */
const BUDGET_MS = PROVIDER_TIMEOUT_MS + 1_000;

/** What a call came to: an answer, or a refusal, which is an answer of a system that is up. */
type Answer<T> = { readonly value: T } | { readonly refused: ProviderError };

export function createCircuit(options: CircuitOptions): Circuit {
  const { provider, clock, log } = options;
  const openMs = options.openMs ?? CIRCUIT_OPEN_MS;
  let trialAt = 0;
  const breaker = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(options.failures ?? FAILURES),
    halfOpenAfter: { next: () => openPeriod() },
  });
  /** The library asks how long to stay open; the answer follows the server's clock. */
  function openPeriod(): IBackoff<unknown> {
    trialAt = clock().getTime() + openMs;
    return {
      get duration() {
        return clock().getTime() >= trialAt ? 0 : Number.POSITIVE_INFINITY;
      },
      next: openPeriod,
    };
  }
  breaker.onBreak(() => log.warn({ provider }, 'calls to a provider are stopped: it does not answer'));
  breaker.onReset(() => log.info({ provider }, 'a provider answers again'));
  const lanes: BulkheadPolicy | null =
    options.atOnce === undefined ? null : bulkhead(options.atOnce, Number.POSITIVE_INFINITY);

  async function guarded<T>(call: () => Promise<T>, budgetMs: number): Promise<T> {
    // One trial at a time: who comes meanwhile does not wait for it.
    const stopped =
      breaker.state === CircuitState.HalfOpen || (breaker.state === CircuitState.Open && clock().getTime() < trialAt);
    if (stopped) throw new ProviderError(provider, CIRCUIT_OPEN, { retryable: true });
    const answer = await breaker.execute(() => timed(provider, () => answerOf(call), budgetMs));
    if ('refused' in answer) throw answer.refused;
    return answer.value;
  }

  return {
    provider,
    run: (call, budgetMs = BUDGET_MS) =>
      lanes === null ? guarded(call, budgetMs) : lanes.execute(() => guarded(call, budgetMs)),
    room() {
      if (breaker.state === CircuitState.Closed) return Number.POSITIVE_INFINITY;
      return breaker.state === CircuitState.Open && clock().getTime() >= trialAt ? 1 : 0;
    },
    isOpen: () => breaker.state !== CircuitState.Closed,
  };
}

/** Sorts errors: those that say that the system is down are thrown, a plain refusal is an answer. */
async function answerOf<T>(call: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await call() };
  } catch (error) {
    if (error instanceof ProviderError && !error.outage) return { refused: error };
    throw error;
  }
}

async function timed<T>(provider: string, work: () => Promise<T>, budgetMs: number): Promise<T> {
  try {
    return await timeout(budgetMs, TimeoutStrategy.Aggressive).execute(work);
  } catch (error) {
    if (!(error instanceof TaskCancelledError)) throw error;
    throw new ProviderError(provider, 'no_answer', { retryable: true, ambiguous: true }, error);
  }
}
