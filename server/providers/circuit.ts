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
import type { Spans } from '#server/db/spans.ts';
import {
  CIRCUIT_OPEN,
  CIRCUIT_OPEN_MS,
  type NamedCall,
  type ObserveCalls,
  observed,
  PROVIDER_TIMEOUT_MS,
  ProviderError,
} from './call.ts';

/** A circuit breaker around the calls to one outside system. */
export type Circuit = {
  readonly provider: string;
  /**
   * Makes a call within `budgetMs` and reports its outcome. Throws `ProviderError`: 'no_response' when the time is up (the effect may still
   * happen), or `CIRCUIT_OPEN` at once while the circuit is open.
   */
  run<T>(call: NamedCall, work: () => Promise<T>, budgetMs?: number): Promise<T>;
  /** Returns how many calls may start now: any number, one trial, or none. */
  readonly capacity: () => number;
  readonly isOpen: () => boolean;
};

export type CircuitOptions = {
  readonly provider: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for every call, including those that were not made. */
  readonly observe: ObserveCalls;
  /** The number of consecutive failures that opens the circuit. */
  readonly failures?: number;
  /** The time for which the circuit stays open before a trial call decides. */
  readonly openMs?: number;
  /** Makes each call a span of its request's trace. Default: no spans. */
  readonly spans?: Spans | null;
  /** Maximum number of concurrent calls; further calls wait. Default: no limit. */
  readonly atOnce?: number;
};

const FAILURES = 5;
/** A little longer than one request may take, so that the request's own timeout comes first. */
const BUDGET_MS = PROVIDER_TIMEOUT_MS + 1_000;

/** The result of a working system: a value or a refusal. */
type Outcome<T> = { readonly value: T } | { readonly refused: ProviderError };

export function createCircuit(options: CircuitOptions): Circuit {
  const { provider, clock, log } = options;
  const openMs = options.openMs ?? CIRCUIT_OPEN_MS;
  let trialAt = 0;
  const breaker = circuitBreaker(handleAll, {
    breaker: new ConsecutiveBreaker(options.failures ?? FAILURES),
    halfOpenAfter: { next: () => openPeriod() },
  });
  /** Returns the period for which the library keeps the circuit open, by the server's clock. */
  function openPeriod(): IBackoff<unknown> {
    trialAt = clock().getTime() + openMs;
    return {
      get duration() {
        return clock().getTime() >= trialAt ? 0 : Number.POSITIVE_INFINITY;
      },
      next: openPeriod,
    };
  }
  breaker.onBreak(() => log.warn({ provider }, 'calls to a provider are paused because it does not answer'));
  breaker.onReset(() => log.info({ provider }, 'calls to a provider resume because it answers again'));
  const callLimit: BulkheadPolicy | null =
    options.atOnce === undefined ? null : bulkhead(options.atOnce, Number.POSITIVE_INFINITY);

  async function guarded<T>(call: () => Promise<T>, budgetMs: number): Promise<T> {
    // Only one trial runs at a time. Other calls fail instead of waiting for it.
    const stopped =
      breaker.state === CircuitState.HalfOpen || (breaker.state === CircuitState.Open && clock().getTime() < trialAt);
    if (stopped) throw new ProviderError(provider, CIRCUIT_OPEN, { retryable: true });
    const { spans } = options;
    const span = { name: provider, kind: 'client', attributes: { 'peer.service': provider } } as const;
    const traced = spans ? () => spans.run(span, call) : call;
    const outcome = await breaker.execute(() => timed(provider, () => toOutcome(traced), budgetMs));
    if ('refused' in outcome) throw outcome.refused;
    return outcome.value;
  }

  return {
    provider,
    run: (call, work, budgetMs = BUDGET_MS) => {
      const attempt = () => observed(options.observe, { ...call, provider }, () => guarded(work, budgetMs));
      return callLimit === null ? attempt() : callLimit.execute(attempt);
    },
    capacity: () => {
      if (breaker.state === CircuitState.Closed) return Number.POSITIVE_INFINITY;
      return breaker.state === CircuitState.Open && clock().getTime() >= trialAt ? 1 : 0;
    },
    isOpen: () => breaker.state !== CircuitState.Closed,
  };
}

/** Throws errors that mean the system is down. Returns a plain refusal. */
async function toOutcome<T>(call: () => Promise<T>): Promise<Outcome<T>> {
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
    throw new ProviderError(provider, 'no_response', { retryable: true, ambiguous: true }, error);
  }
}
