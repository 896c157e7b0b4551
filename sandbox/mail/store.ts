import { randomUUID } from 'node:crypto';
import PostalMime, { type Attachment } from 'postal-mime';

type MailFile = {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly bytes: Uint8Array;
};
export type ReceivedMail = {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The Message-ID with its angle brackets, or an empty text if the mail has none. */
  readonly messageId: string;
  /** Id of the first mail with this Message-ID to this person, or null if this is the first. */
  readonly duplicateOf: string | null;
  /** The time of receipt, in real time. */
  readonly receivedAt: string;
  readonly attachments: readonly MailFile[];
  /** The headers for replies and for leaving a list, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
};
export type MailStore = {
  /** Stores a message once per recipient. Repeats are stored too, so that tests can count them. */
  add(raw: Uint8Array, recipients: readonly string[]): Promise<readonly ReceivedMail[]>;
  /** Returns mails, newest first. `to` matches the whole address, `subject` any part in any case; null matches all mails. */
  find(to: string | null, subject: string | null): readonly ReceivedMail[];
  get(id: string): ReceivedMail | null;
  clear(): void;
};

const KEPT = 2_000;

export function createMailStore(): MailStore {
  let mails: ReceivedMail[] = [];
  return {
    async add(raw, recipients) {
      const parsed = await PostalMime.parse(raw);
      const messageId = parsed.messageId ?? '';
      const files = parsed.attachments.map(readFile);
      const added = recipients.map((recipient): ReceivedMail => {
        const to = recipient.toLowerCase();
        const first = mails.findLast((mail) => messageId !== '' && mail.messageId === messageId && mail.to === to);
        return {
          id: randomUUID(),
          to,
          from: parsed.from?.address ?? '',
          subject: parsed.subject ?? '',
          text: parsed.text ?? '',
          html: parsed.html ?? '',
          messageId,
          duplicateOf: first?.id ?? null,
          receivedAt: new Date().toISOString(),
          attachments: files,
          headers: Object.fromEntries(
            parsed.headers
              .filter(({ key }) => /^(reply-to$|list-|x-request-id$)/.test(key))
              .map(({ key, value }) => [key, value]),
          ),
        };
      });
      mails = [...added, ...mails].slice(0, KEPT);
      return added;
    },
    find: (to, subject) =>
      mails.filter(
        (mail) =>
          (to === null || mail.to === to.toLowerCase()) &&
          (subject === null || mail.subject.toLowerCase().includes(subject.toLowerCase())),
      ),
    get: (id) => mails.find((mail) => mail.id === id) ?? null,
    clear: () => void (mails = []),
  };
}

function readFile(file: Attachment): MailFile {
  const bytes = typeof file.content === 'string' ? Buffer.from(file.content) : new Uint8Array(file.content);
  return { filename: file.filename ?? 'attachment', contentType: file.mimeType, size: bytes.byteLength, bytes };
}
