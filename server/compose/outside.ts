import { currentRequest } from '#server/db/request-scope.ts';
import { guardMail } from '#server/providers/guarded.ts';
import { createSmtpMail } from '#server/providers/smtp-mail.ts';
import type { Config } from '#server/config/operating/config.ts';
import { openOutside } from '#server/start/observe/outside.ts';
import type { Base } from './base.ts';

export type Outside = ReturnType<typeof openProviders>;

/** Opens the metrics, the circuit breakers of all providers, and mail. */
export function openProviders(
  config: Config,
  { urgent: db, clock, log, observers, overrides }: Base,
  opened: AsyncDisposableStack,
) {
  const outside = openOutside({ db, clock, log, spans: observers.spans });
  const smtp = createSmtpMail({
    url: config.smtpUrl,
    from: config.mailFrom,
    currentRequest,
    transport: overrides.mailTransport,
  });
  opened.defer(() => smtp.close());
  return { ...outside, mail: guardMail(smtp, outside.circuits.mail) };
}
