import { SMTPServer } from 'smtp-server';

/** Accepts every mail and counts the confirmations of bookings. */
export type Mailbox = {
  readonly url: string;
  /** Maps a booking reference to the Message-IDs of its confirmations. A mail that was sent twice has only one. */
  readonly confirmations: ReadonlyMap<string, ReadonlySet<string>>;
  close(): Promise<void>;
};

const MESSAGE_ID = /^message-id:\s*(\S+)/im;
/**
 * A confirmation has two attachments: the receipt, which is named after the booking, and a calendar file with the session. The mail about a
 * refund has only the receipt.
 */
const RECEIPT = /receipt-([A-Z0-9]{4}-[A-Z0-9]{4})\.pdf/;
const CALENDAR = /^content-type:\s*text\/calendar/im;

export async function startMailbox(port: number): Promise<Mailbox> {
  const confirmations = new Map<string, Set<string>>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const text = Buffer.concat(parts).toString('latin1');
        const [reference, id] = [RECEIPT.exec(text)?.[1], MESSAGE_ID.exec(text)?.[1]];
        if (reference !== undefined && id !== undefined && CALENDAR.test(text))
          confirmations.set(reference, (confirmations.get(reference) ?? new Set()).add(id));
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  return {
    url: `smtp://127.0.0.1:${port}`,
    confirmations,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
