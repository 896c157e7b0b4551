import type { Socket } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Core } from '../core/core.ts';
import type { FaultKind } from '../core/faults.ts';
import type { MailStore } from './store.ts';

export type Smtp = { start(port: number, host: string): Promise<void>; close(): Promise<void> };

const SIZE_MAX = 25 * 1024 * 1024;
/** The default of a `status` fault; for mail it means "try later" (451). */
const UNNAMED_STATUS = 503;
const LATER = 451;

/**
 * An SMTP server that accepts every login and recipient. Faults: `refuse` and `offline` close the connection, `hang` sends nothing,
 * `status` answers the message with 4xx or 5xx, `garbage` answers with invalid SMTP, `fail_after` stores the message and closes the
 * connection before the answer, `duplicate` stores it twice.
 */
export function createSmtp(core: Core, mails: MailStore): Smtp {
  const sockets = new Map<number, Socket>();
  const drop = (session: SMTPServerSession): void => void sockets.get(session.remotePort)?.destroy();

  function log(path: string, status: number, body = ''): void {
    // Subjects can contain a code.
    const masked = body.replace(/\d{4,}/g, '***');
    core.log({ at: new Date().toISOString(), provider: 'mail', method: 'SMTP', path, status, body: masked });
  }

  /** Applies a connection fault, at the greeting and before each mail of a connection that stays open. True when there was one. */
  function unreachable(session: SMTPServerSession): boolean {
    const kinds: FaultKind[] = ['refuse', 'offline', 'hang'];
    const fault = core.takeFault('mail', kinds);
    if (!fault) return false;
    log('', 0);
    if (fault.kind !== 'hang') drop(session);
    return true;
  }

  /** Stores a message and returns the answer: an error, null for accepted, 'nothing' when the connection was closed. */
  async function take(raw: Buffer, session: SMTPServerSession): Promise<Error | null | 'nothing'> {
    const recipients = session.envelope.rcptTo.map((one) => one.address);
    const fault = core.takeFault('mail', ['status', 'garbage', 'fail_after', 'duplicate']);
    if (fault?.kind === 'status') {
      const responseCode = fault.status === UNNAMED_STATUS ? LATER : fault.status;
      log(recipients.join(), responseCode);
      return refusal('A simulated fault', responseCode);
    }
    if (fault?.kind === 'garbage') {
      log(recipients.join(), 0);
      sockets.get(session.remotePort)?.end('<html>not SMTP\r\n');
      return 'nothing';
    }
    const stored = await mails.add(raw, recipients);
    if (fault?.kind === 'duplicate') await mails.add(raw, recipients);
    for (const mail of stored) log(mail.to, fault?.kind === 'fail_after' ? 0 : 250, mail.subject);
    if (fault?.kind !== 'fail_after') return null;
    drop(session);
    return 'nothing';
  }

  async function receive(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (error?: Error | null) => void,
  ): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of stream) chunks.push(Buffer.from(chunk));
      const answer = stream.sizeExceeded ? refusal('Too large', 552) : await take(Buffer.concat(chunks), session);
      if (answer !== 'nothing') done(answer);
    } catch (error) {
      done(refusal(String(error), LATER));
    }
  }

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
    onConnect: (session, done) => void (unreachable(session) || done()),
    onMailFrom: (_address, session, done) => void (unreachable(session) || done()),
    onData: (stream, session, done) => void receive(stream, session, done),
  });
  server.server.on('connection', (socket: Socket) => {
    const port = socket.remotePort ?? 0;
    sockets.set(port, socket);
    socket.once('close', () => sockets.delete(port));
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
        for (const socket of sockets.values()) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

function refusal(message: string, responseCode: number): Error {
  return Object.assign(new Error(message), { responseCode });
}
