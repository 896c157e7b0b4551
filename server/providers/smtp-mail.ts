import nodemailer from 'nodemailer';
import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';
import type { Mail } from './ports.ts';

/** Mails on their way at the same time; whoever sends more lets them wait outside, where they can still be called off. */
export const MAIL_CONNECTIONS = 4;

/** Mail by SMTP. `url`: smtp://user:password@host:port or smtps://…; `from`: the sender people see. */
export function createSmtpMail(config: { url: string; from: string }): Mail & { close(): void } {
  const domain = /@([^>\s]+)>?$/.exec(config.from)?.[1] ?? 'localhost';
  const transport = nodemailer.createTransport({
    url: config.url,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // Once, for a line that the server closed while it was idle; every other repeat is ours, which knows what has been called off.
    maxRequeues: 1,
    connectionTimeout: PROVIDER_TIMEOUT_MS,
    greetingTimeout: PROVIDER_TIMEOUT_MS,
    socketTimeout: PROVIDER_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(message) {
      try {
        await transport.sendMail({
          from: config.from,
          to: { name: '', address: message.to },
          subject: message.subject,
          text: message.text,
          html: message.html,
          // The same mail always bears the same id, so that a repeat can be told from a second one.
          messageId: `<${message.key}@${domain}>`,
          ...(message.calendar
            ? {
                attachments: [
                  {
                    filename: 'booking.ics',
                    content: message.calendar.content,
                    contentType: `text/calendar; charset=utf-8; method=${message.calendar.method}`,
                  },
                ],
              }
            : {}),
        });
      } catch (error) {
        const code =
          error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
            ? error.responseCode
            : 0;
        const badMail =
          error instanceof Error && 'code' in error && (error.code === 'EENVELOPE' || error.code === 'EMESSAGE');
        throw new ProviderError(
          'mail',
          code === 0 ? 'no_answer' : `smtp_${code}`,
          // An answer is about this mail or its recipient; the server itself is up.
          { retryable: code < 500, ambiguous: code === 0, outage: code === 0 && !badMail },
          error,
        );
      }
    },
    close: () => transport.close(),
  };
}
