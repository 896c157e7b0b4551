import nodemailer, { type SendMailOptions } from 'nodemailer';
import { ADDRESS_REFUSED, PROVIDER_TIMEOUT_MS, ProviderError } from './call.ts';
import type { Mail, MailMessage } from './ports.ts';

/** Maximum number of mails sent concurrently. Further mails wait in the server's own queue, where they can still be cancelled. */
export const MAIL_CONNECTIONS = 4;

/** Whether a refusal concerns the recipient and not the sender: the enhanced status X.7.X is a policy of the server. */
function namesRecipient(error: unknown): boolean {
  if (!(error instanceof Error) || !('command' in error) || error.command !== 'RCPT TO') return false;
  return !('response' in error && typeof error.response === 'string' && /\b[45]\.7\.\d/.test(error.response));
}

/** Returns the mail server's reply, or the error that came before it. */
function getReply(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  return 'response' in error && typeof error.response === 'string' ? error.response : error.message;
}

const toAttachments = ({ calendar, document }: MailMessage) => [
  ...(calendar === undefined
    ? []
    : [
        {
          filename: 'booking.ics',
          content: calendar.content,
          contentType: `text/calendar; charset=utf-8; method=${calendar.method}`,
        },
      ]),
  ...(document === undefined
    ? []
    : [{ filename: document.name, content: Buffer.from(document.content), contentType: 'application/pdf' }]),
];

function getHeaders({ unsubscribeUrl }: MailMessage, requestId: string | null): Record<string, string> {
  return {
    ...(unsubscribeUrl === undefined
      ? {}
      : { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    ...(requestId === null ? {} : { 'X-Request-Id': requestId }),
  };
}

/** Delivers composed mails. Its errors carry `responseCode` and `response` if the mail server has answered. */
export type MailTransport = { sendMail(mail: SendMailOptions): Promise<unknown>; close(): void };

/** Sends mail by SMTP. `url`: smtp://user:password@host:port or smtps://…; `from`: the sender shown to recipients. */
export function createSmtpMail(config: {
  url: string;
  from: string;
  /** Returns the id of the request to which a mail belongs, for the header X-Request-Id. */
  currentRequest?: () => string | null;
  /** Replaces the connections to the mail server. */
  transport?: MailTransport | undefined;
}): Mail & { close(): void } {
  const domain = /@([^>\s]+)>?$/.exec(config.from)?.[1] ?? 'localhost';
  const transport = config.transport ?? connectTo(config.url);
  return {
    async send(message) {
      try {
        await transport.sendMail({
          from: config.from,
          to: { name: '', address: message.to },
          subject: message.subject,
          text: message.text,
          html: message.html,
          // A repeated mail has the same id, so that mail servers can recognise it.
          messageId: `<${message.key}@${domain}>`,
          ...(message.replyTo === undefined ? {} : { replyTo: { name: '', address: message.replyTo } }),
          headers: getHeaders(message, config.currentRequest?.() ?? null),
          attachments: toAttachments(message),
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
          code === 0 ? 'no_response' : `smtp_${code}${namesRecipient(error) ? ADDRESS_REFUSED : ''}`,
          // After an SMTP reply the server is up: the failure concerns this mail or its recipient.
          { retryable: code < 500, ambiguous: code === 0, outage: code === 0 && !badMail, detail: getReply(error) },
          error,
        );
      }
    },
    close: () => transport.close(),
  };
}

/** Opens connections to a mail server when they are needed. */
function connectTo(url: string): MailTransport {
  return nodemailer.createTransport({
    url,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    // One retry, for a connection that the server closed while idle. The mail queue makes all other retries, because it skips cancelled
    // mails.
    maxRequeues: 1,
    connectionTimeout: PROVIDER_TIMEOUT_MS,
    greetingTimeout: PROVIDER_TIMEOUT_MS,
    socketTimeout: PROVIDER_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
