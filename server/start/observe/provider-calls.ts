import { currentRequest, currentSubject } from '#server/db/request-scope.ts';
import type { Clock, Log } from '#server/http/caller.ts';
import type { Metrics } from '#server/http/metrics/metrics.ts';
import { type FoundBooking, findBooking, recordFailedCall } from '#server/operations/core/audit.ts';
import {
  type EndedCall,
  isAddressRefused,
  type ObserveCalls,
  ProviderError,
  withoutPersonal,
} from '#server/providers/call.ts';
import type { Queryable } from '#server/db/database.ts';

/**
 * Counts and times every provider call. A failed call is logged with its booking; a failed payment call is also recorded in the booking's
 * history.
 */
export function observeCalls(
  metrics: Metrics,
  { db, clock, log }: { readonly db: Queryable; readonly clock: Clock; readonly log: Log },
): ObserveCalls {
  const addTime = metrics.durations('provider_call_seconds', 'Duration of the calls of providers', [
    'provider',
    'operation',
    'outcome',
  ]);
  const countMail = metrics.counter('mails_total', 'Mails handed to the mail server', 'outcome', [
    'sent',
    'refused',
    'failed',
  ]);
  return (ended) => {
    const { provider, operation, outcome, seconds, error } = ended;
    addTime({ provider, operation, outcome }, seconds);
    if (provider === 'mail') countMail(outcome === 'ok' ? 'sent' : isAddressRefused(error) ? 'refused' : 'failed');
    if (error === null) return;
    const [requestId, subject] = [currentRequest(), currentSubject()];
    void report(db, log, { ended, requestId, subject, clock });
  };
}

type Failure = {
  readonly ended: EndedCall;
  readonly requestId: string | null;
  readonly subject: string | null;
  readonly clock: Clock;
};

/** Never throws: the failure may be one of the database. */
async function report(db: Queryable, log: Log, { ended, requestId, subject, clock }: Failure): Promise<void> {
  const { provider, operation, outcome, about = [], error } = ended;
  const call = { provider, operation, ...describe(error) };
  const ids = [...about, subject].filter((id) => id !== null);
  const booking = await findBooking(db, ids).catch((cause: unknown) => {
    log.error({ err: cause, requestId }, 'the booking of a failed provider call could not be read');
    return null;
  });
  log.warn({ ...call, outcome, ...toFields(booking), subject, requestId }, 'a provider call failed');
  if (booking === null || provider !== 'stripe') return;
  await recordFailedCall(db, booking.id, { ...call, requestId }, clock()).catch((cause: unknown) =>
    log.error({ err: cause, booking: booking.id }, 'a failed provider call could not be recorded in the audit log'),
  );
}

const toFields = (booking: FoundBooking | null) =>
  booking === null ? {} : { booking: booking.id, reference: booking.reference };

function describe(error: unknown): { code: string; message: string } {
  if (error instanceof ProviderError) return { code: error.reason, message: error.detail };
  return { code: 'unexpected', message: withoutPersonal(String(error)) };
}
