import nodemailer from 'nodemailer';
import { PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';
import type { Mail } from './ports.ts';

/** Mail by SMTP. `url`: smtp://user:password@host:port or smtps://…; `from`: the sender people see. */
export function createSmtpMail(config: { url: string; from: string }): Mail & { close(): void } {
  const domain = /@([^>\s]+)>?$/.exec(config.from)?.[1] ?? 'localhost';
  const transport = nodemailer.createTransport({
    url: config.url,
    pool: true,
    maxConnections: 2,
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
        throw new ProviderError(
          'mail',
          code === 0 ? 'no_answer' : `smtp_${code}`,
          { retryable: code < 500, ambiguous: code === 0 },
          error,
        );
      }
    },
    close: () => transport.close(),
  };
}
