import { randomUUID } from 'node:crypto';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { esc, page } from '../core/page.ts';
import type { Core } from '../core/core.ts';

export type Letter = {
  id: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
  messageId: string;
  /** Set when a letter with the same Message-ID came before. */
  duplicateOf: string | null;
  receivedAt: string;
  attachments: { filename: string; contentType: string; size: number; content: string }[];
};
export type Mailbox = {
  find(to: string | null, subject: string | null): Letter[];
  get(id: string): Letter | null;
  empty(): void;
  close(): Promise<void>;
};

const KEPT = 1_000;

/** A mail server that keeps what it is given. */
export async function createMailbox(core: Core, port: number, host: string): Promise<Mailbox> {
  const letters: Letter[] = [];

  async function keep(raw: Buffer, recipients: readonly string[]): Promise<void> {
    const parsed = await PostalMime.parse(raw);
    const messageId = parsed.messageId ?? '';
    for (const to of recipients) {
      const earlier = letters.find((letter) => letter.messageId === messageId && letter.to === to && messageId !== '');
      letters.unshift({
        id: randomUUID(),
        to,
        from: parsed.from?.address ?? '',
        subject: parsed.subject ?? '',
        text: parsed.text ?? '',
        html: parsed.html ?? '',
        messageId,
        duplicateOf: earlier?.id ?? null,
        receivedAt: new Date().toISOString(),
        attachments: parsed.attachments.map((one) => {
          const bytes =
            typeof one.content === 'string'
              ? Buffer.from(one.content)
              : Buffer.from(one.content instanceof Uint8Array ? one.content : new Uint8Array(one.content));
          return {
            filename: one.filename ?? 'attachment',
            contentType: one.mimeType,
            size: bytes.byteLength,
            content: bytes.toString('base64'),
          };
        }),
      });
      core.log({
        at: new Date().toISOString(),
        provider: 'mail',
        method: 'SMTP',
        path: to,
        status: 250,
        body: parsed.subject ?? '',
      });
    }
    letters.length = Math.min(letters.length, KEPT);
  }

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onConnect(session, done) {
      const fault = core.takeFault('mail', ['refuse', 'offline', 'hang']);
      if (fault?.kind === 'hang') return;
      if (fault) return done(Object.assign(new Error('not now'), { responseCode: 421 }));
      void session;
      done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const fault = core.takeFault('mail', ['status', 'garbage', 'fail_after']);
        if (fault?.kind === 'status' || fault?.kind === 'garbage')
          return done(
            Object.assign(new Error('a fault was asked for'), { responseCode: fault.status >= 500 ? 550 : 451 }),
          );
        void keep(
          Buffer.concat(chunks),
          session.envelope.rcptTo.map((one) => one.address.toLowerCase()),
        ).then(() => {
          // Kept, but the answer is lost.
          if (fault) return;
          done();
        }, done);
      });
    },
  });
  server.on('error', () => undefined); // a client that hung up
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });

  return {
    find: (to, subject) =>
      letters.filter(
        (letter) =>
          (to === null || letter.to === to.toLowerCase()) &&
          (subject === null || letter.subject.toLowerCase().includes(subject.toLowerCase())),
      ),
    get: (id) => letters.find((letter) => letter.id === id) ?? null,
    empty: () => void (letters.length = 0),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export function mailboxPage(letters: readonly Letter[], to: string): Response {
  const rows = letters
    .map(
      (letter) =>
        `<tr><td>${esc(letter.receivedAt.slice(11, 19))}</td><td>${esc(letter.to)}</td><td><a href="/mail/${letter.id}">${esc(letter.subject)}</a>${letter.duplicateOf ? ' <span class="bad">repeat</span>' : ''}</td></tr>`,
    )
    .join('');
  return page(
    'Mailbox',
    `<section><h1>Mailbox</h1><form method="get"><label for="to">For</label><input id="to" name="to" value="${esc(to)}" placeholder="everybody"><button>Show</button></form><table><tr><th>At (UTC)</th><th>To</th><th>Subject</th></tr>${rows}</table>${rows === '' ? '<p>No mail yet.</p>' : ''}</section>`,
    '<meta http-equiv="refresh" content="10">',
  );
}

export function letterPage(letter: Letter): Response {
  const files = letter.attachments
    .map(
      (one, at) =>
        `<a class="button quiet" href="/mail/${letter.id}/${at}" download="${esc(one.filename)}">${esc(one.filename)}</a>`,
    )
    .join('');
  return page(
    letter.subject,
    `<section><h1>${esc(letter.subject)}</h1><p>To ${esc(letter.to)}, from ${esc(letter.from)}</p>${files}<iframe title="The mail" sandbox="allow-popups allow-top-navigation-by-user-activation" srcdoc="${esc(letter.html.replace('<head>', '<head><base target="_top">'))}" style="width:100%;height:760px;border:1px solid #ccd7dd;margin-top:12px"></iframe></section><section><h2>As text</h2><pre>${esc(letter.text)}</pre></section>`,
  );
}
