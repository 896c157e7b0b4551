import type { Mail, MailMessage, TextMessages } from '#server/providers/ports.ts';

/** Mail and text messages in memory that check their input. A malformed message is an error of the program, so it throws. */

const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/;
/** Texts that a template shows if it got wrong data. */
const BROKEN = /\bundefined\b|\bNaN\b|\[object |Invalid Date|\bnull\b/;
const SUBJECT_MAX = 200;
const TEXT_MAX = 1600;

type StoredMessage = { readonly to: string; readonly subject: string };

/** Creates a mailbox. `deliver` receives each well-formed message. The sender gets the errors that it throws. */
export function createFakeMail(deliver: (message: MailMessage) => void): Mail {
  const byKey = new Map<string, StoredMessage>();
  return {
    async send(message) {
      const { key, to, subject } = message;
      checkMail(message);
      const before = byKey.get(key);
      // The key becomes the Message-ID, and a mailbox hides the second of two mails with the same id.
      if (before !== undefined && (before.to !== to || before.subject !== subject))
        throw new Error(`two mails have the key ${key}: “${before.subject}” and “${subject}”`);
      byKey.set(key, { to, subject });
      deliver(message);
    },
  };
}

function checkMail({ to, replyTo, subject, html, text, key, calendar, document, unsubscribeUrl }: MailMessage): void {
  const wrong =
    (!ADDRESS.test(to) && 'address') ||
    (replyTo !== undefined && !ADDRESS.test(replyTo) && 'address for answers') ||
    ((subject.trim() === '' || subject.length > SUBJECT_MAX || /[\r\n]/.test(subject) || BROKEN.test(subject)) &&
      'subject') ||
    ((text.trim() === '' || BROKEN.test(text)) && 'text') ||
    ((!/^\s*<(!doctype|html)/i.test(html) || BROKEN.test(html.replace(/<[^>]*>/g, ' '))) && 'page') ||
    ((key === '' || /\s/.test(key)) && 'key') ||
    (calendar !== undefined && !isCalendar(calendar) && 'calendar file') ||
    (document !== undefined && !isDocument(document) && 'document') ||
    (unsubscribeUrl !== undefined && !URL.canParse(unsubscribeUrl) && 'address that ends a subscription');
  if (wrong !== false) throw new Error(`the ${wrong} of the mail “${subject}” to ${to} is wrong`);
}

const isCalendar = ({ method, content }: NonNullable<MailMessage['calendar']>): boolean =>
  content.startsWith('BEGIN:VCALENDAR') && content.includes(`METHOD:${method}`) && !BROKEN.test(content);
const isDocument = ({ name, content }: NonNullable<MailMessage['document']>): boolean =>
  /^[^/\\]+\.pdf$/.test(name) && new TextDecoder().decode(content.slice(0, 5)) === '%PDF-';

/** Creates a sender of text messages. `deliver` gets each well-formed message, including repeats: Twilio has no idempotency keys. */
export function createFakeTexts(deliver: (message: { to: string; text: string }) => void): TextMessages {
  return {
    async send({ to, text, key }) {
      if (!/^\+[1-9]\d{6,14}$/.test(to)) throw new Error(`${to} is not a number with its country`);
      if (text.trim() === '' || text.length > TEXT_MAX || BROKEN.test(text))
        throw new Error(`the text to ${to} is wrong: ${text}`);
      if (key === '') throw new Error('a text message has no key');
      deliver({ to, text });
    },
  };
}
