import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Core } from '../core/core.ts';
import type { MailStore } from './store.ts';

export type Smtp = { start(port: number, host: string): Promise<void>; close(): Promise<void> };

const SIZE_MAX = 25 * 1024 * 1024;
/** The default status of a `status` fault. For mail it becomes 451, "try later". */
const UNNAMED_STATUS = 503;
const TRY_LATER = 451;

type SmtpContext = {
  readonly core: Core;
  readonly mails: MailStore;
  /** Open connections by the client's port, so that a fault can close a connection. */
  readonly sockets: Map<number, Socket>;
};

/**
 * Creates an SMTP server that accepts every login, and every recipient except those at refused.example. Faults: `refuse` and `offline`
 * close the connection, `hang` sends nothing, `status` answers the message with 4xx or 5xx, `garbage` answers with invalid SMTP,
 * `fail_after` stores the message and closes the connection before the answer, `duplicate` stores it twice.
 */
export function createSmtp(core: Core, mails: MailStore): Smtp {
  const context: SmtpContext = { core, mails, sockets: new Map() };
  const server = new SMTPServer({
    banner: 'sandbox mailbox',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: SIZE_MAX,
    closeTimeout: 500,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anybody' }),
    onConnect: (_session, done) => (core.takeFault('mail', ['hang']) ? log(core, '', 0) : done()),
    onMailFrom: (_address, session, done) => void (applyConnectionFault(context, session) || done()),
    onRcptTo: ({ address }, _session, done) => {
      if (!address.toLowerCase().endsWith('@refused.example')) return done();
      log(core, address, 550);
      done(refusal('5.1.1 No such mailbox', 550));
    },
    onData: (stream, session, done) => void receive(context, stream, session, done),
  });
  server.server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    context.sockets.set(port, socket);
    socket.once('close', () => context.sockets.delete(port));
    // The fault applies here, because the library waits a tenth of a second before it calls `onConnect`.
    if (!core.takeFault('mail', ['refuse', 'offline'])) return;
    log(core, '', 0);
    socket.destroy();
  });

  return {
    start: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          server.on('error', () => undefined); // a client that closed the connection half-way
          resolve();
        });
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of context.sockets.values()) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Applies a connection fault at the start of a mail on an open connection. Returns whether there was a fault. */
function applyConnectionFault({ core, sockets }: SmtpContext, session: SMTPServerSession): boolean {
  const fault = core.takeFault('mail', ['refuse', 'offline', 'hang']);
  if (!fault) return false;
  log(core, '', 0);
  if (fault.kind !== 'hang') sockets.get(session.remotePort)?.destroy();
  return true;
}

/** Reads a message and answers it, unless a fault has closed the connection. */
async function receive(
  context: SmtpContext,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  done: (error?: Error | null) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    const result = stream.sizeExceeded
      ? refusal('Too large', 552)
      : await store(context, Buffer.concat(chunks), session);
    if (result !== 'closed') done(result);
  } catch (error) {
    done(refusal(String(error), TRY_LATER));
  }
}

/** Stores a message. Returns an error, null for an accepted message, or 'closed' if a fault closed the connection. */
async function store(
  { core, mails, sockets }: SmtpContext,
  raw: Buffer,
  session: SMTPServerSession,
): Promise<Error | null | 'closed'> {
  const recipients = session.envelope.rcptTo.map((recipient) => recipient.address);
  const socket = sockets.get(session.remotePort);
  const fault = core.takeFault('mail', ['status', 'garbage', 'fail_after', 'duplicate']);
  if (fault?.kind === 'status') {
    const responseCode = fault.status === UNNAMED_STATUS ? TRY_LATER : fault.status;
    log(core, recipients.join(), responseCode);
    return refusal('A simulated fault', responseCode);
  }
  if (fault?.kind === 'garbage') {
    log(core, recipients.join(), 0);
    socket?.end('<html>not SMTP\r\n');
    return 'closed';
  }
  const stored = await mails.add(raw, recipients);
  if (fault?.kind === 'duplicate') await mails.add(raw, recipients);
  for (const mail of stored) log(core, mail.to, fault?.kind === 'fail_after' ? 0 : 250, mail.subject);
  if (fault?.kind !== 'fail_after') return null;
  socket?.destroy();
  return 'closed';
}

function log(core: Core, path: string, status: number, subject = ''): void {
  // Subjects can contain a code.
  const body = subject.replace(/\d{4,}/g, '***');
  core.log({ at: new Date().toISOString(), provider: 'mail', method: 'SMTP', path, status, body });
}

function refusal(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode });
}
