import type { Spans } from '#server/db/spans.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import { type Circuit, createCircuit } from '#server/providers/circuit.ts';
import type { ObserveCalls } from '#server/providers/call.ts';
import { MAIL_CONNECTIONS } from '#server/providers/smtp-mail.ts';

/** Creates a circuit breaker for each external system. `make` creates more. */
export function createCircuits(context: {
  readonly clock: Clock;
  readonly log: Log;
  readonly spans: Spans | null;
  readonly observe: ObserveCalls;
}) {
  const make = (provider: string, atOnce?: number): Circuit =>
    createCircuit({ ...context, provider, ...(atOnce === undefined ? {} : { atOnce }) });
  return {
    make,
    circuits: {
      payments: make('stripe'),
      identity: make('stripe-identity'),
      locks: make('igloohome'),
      mail: make('mail', MAIL_CONNECTIONS),
      texts: make('twilio'),
      reader: make('id-reader'),
      applePush: make('apple-push'),
      googleWallet: make('google-wallet'),
    },
  };
}
