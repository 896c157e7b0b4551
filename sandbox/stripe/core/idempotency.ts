import { createHash } from 'node:crypto';
import { byId, type StripeState } from './ledger.ts';
import { StripeRefusal } from './refusal.ts';

export type Answer = { status: number; body: unknown; replayed?: boolean };

const KEEP_S = 24 * 3600;
const KEY_MAX = 255;

/**
 * Runs a call once per key. The same key and parameters get the first answer again. Other parameters are refused, and a call that is still
 * running is a conflict. Refusals before the work began are not stored (docs.stripe.com/api/idempotent_requests).
 */
export function createIdempotency(
  state: StripeState,
): (key: string, call: { method: string; path: string; body: string }, work: () => Promise<Answer>) => Promise<Answer> {
  const running = new Set<string>();

  return async (key, call, work) => {
    if (key === '' || key.length > KEY_MAX)
      throw new StripeRefusal(400, { message: `Idempotency keys are 1 to ${KEY_MAX} characters.` });
    const hash = createHash('sha256').update(`${call.method} ${call.path}\n${call.body}`).digest('hex');
    prune(state);
    const storedAnswer = byId(state.ledger.idempotency, key);
    if (storedAnswer && storedAnswer.hash !== hash)
      throw new StripeRefusal(400, {
        type: 'idempotency_error',
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    if (storedAnswer) return { status: storedAnswer.status, body: JSON.parse(storedAnswer.body), replayed: true };
    if (running.has(key))
      throw new StripeRefusal(409, {
        type: 'idempotency_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}.`,
      });
    running.add(key);
    const keep = (answer: Answer): void => {
      state.ledger.idempotency[key] = {
        hash,
        status: answer.status,
        body: JSON.stringify(answer.body),
        at: state.seconds(),
      };
      state.changed();
    };
    try {
      const answer = await work();
      keep(answer);
      return answer;
    } catch (error) {
      if (error instanceof StripeRefusal && error.kept) keep({ status: error.status, body: { error: error.body } });
      throw error;
    } finally {
      running.delete(key);
    }
  };
}

/** The second of the last pass over all answers. There may be very many of them, so calls within one second share a pass. */
const pruned = new WeakMap<StripeState, number>();

function prune(state: StripeState): void {
  const now = state.seconds();
  if (pruned.get(state) === now) return;
  pruned.set(state, now);
  for (const [key, answered] of Object.entries(state.ledger.idempotency))
    if (now - answered.at >= KEEP_S) delete state.ledger.idempotency[key];
}
