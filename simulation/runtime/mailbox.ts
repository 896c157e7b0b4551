import type { Owner } from './owner.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';

/** A mail as its server received it. */
type ReceivedMail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly messageId: string;
  readonly at: number;
};

export type Mailbox = {
  /** All mails that were accepted, oldest first. */
  readonly mails: readonly ReceivedMail[];
  /** How often the answer to a mail was lost, by Message-ID. */
  readonly answersLost: ReadonlyMap<string, number>;
  /** Sets whether the mail server answers, and how often it loses an answer. */
  setState(state: { isDown: boolean; answerLost: number }): void;
  /** The transport of a server. `onSend` is called before each mail. */
  connect(owner: Owner, onSend: () => void): { sendMail(mail: Outgoing): Promise<unknown>; close(): void };
  /** The mails to an address since `since`, oldest first. */
  to(address: string, since?: number): readonly ReceivedMail[];
};

type Outgoing = { to?: unknown; subject?: unknown; text?: unknown; messageId?: unknown };

/** Simulates a mail server and all mailboxes. It replaces the connections of the SMTP adapter. */
export function createMailbox(random: Random, trace: Trace, count: (name: string) => void): Mailbox {
  const mails: ReceivedMail[] = [];
  const answersLost = new Map<string, number>();
  let current = { isDown: false, answerLost: 0 };
  const refuse = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNECTION' });

  async function receive(mail: Outgoing, owner: Owner): Promise<void> {
    await Promise.resolve();
    if (current.isDown) {
      count('mail.refused');
      throw refuse('the mail server is down');
    }
    const { address } = mail.to as { address: string };
    const text = String(mail.text);
    mails.push({
      to: address.toLowerCase(),
      subject: String(mail.subject),
      text,
      messageId: String(mail.messageId),
      at: Date.now(),
    });
    trace.add('mail', address, String(mail.subject));
    count('mail.accepted');
    if (owner.isAlive && !random.chance(current.answerLost)) return;
    count('mail.answer lost');
    answersLost.set(String(mail.messageId), (answersLost.get(String(mail.messageId)) ?? 0) + 1);
    throw refuse('the answer of the mail server was lost');
  }

  return {
    mails,
    answersLost,
    setState: (state) => void (current = state),
    connect: (owner, onSend) => ({
      sendMail(mail) {
        if (owner.isAlive) onSend();
        return new Promise((resolve, reject) => {
          if (!owner.isAlive) return;
          receive(mail, owner).then(
            () => void (owner.isAlive && resolve(null)),
            (error: unknown) => void (owner.isAlive && reject(error)),
          );
        });
      },
      close: () => undefined,
    }),
    to: (address, since = 0) => mails.filter((mail) => mail.to === address.toLowerCase() && mail.at >= since),
  };
}
