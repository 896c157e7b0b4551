import { isDeepStrictEqual } from 'node:util';
import type { ProviderError } from '#server/providers/call.ts';
import { check, checkKey, OTHER_PARAMETERS } from './checks.ts';

const KEPT_MS = 24 * 3_600_000;

type RecordedCall = { readonly call: string; readonly input: unknown; readonly at: number } & (
  | { readonly answer: unknown }
  | { readonly refusal: ProviderError }
);
/** A refusal after the work has begun. Its key keeps it like an answer. */
export class KeptRefusal extends Error {
  readonly refusal: ProviderError;
  constructor(refusal: ProviderError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Runs a call once per key, as Stripe does (docs.stripe.com/api/idempotent_requests). For a day the same key and parameters get the first
 * answer, however the object has changed since. The same key with other parameters is refused. A refusal of wrong parameters is not kept.
 */
export function createIdempotency(clock: () => Date) {
  const kept = new Map<string, RecordedCall>();
  return <T>(call: string, key: string, input: object, work: () => T): T => {
    checkKey(key);
    const at = clock().getTime();
    const first = kept.get(key);
    if (first !== undefined && at - first.at < KEPT_MS) {
      check(first.call === call && isDeepStrictEqual(first.input, input), OTHER_PARAMETERS);
      if ('refusal' in first) throw first.refusal;
      // Cast: the same call has the same type of answer.
      return structuredClone(first.answer) as T;
    }
    try {
      const answer = work();
      kept.set(key, { call, input: structuredClone(input), at, answer: structuredClone(answer) });
      return answer;
    } catch (error) {
      if (!(error instanceof KeptRefusal)) throw error;
      kept.set(key, { call, input: structuredClone(input), at, refusal: error.refusal });
      throw error.refusal;
    }
  };
}
