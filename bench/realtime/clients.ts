import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Latencies, toLatencies } from '../callers/load.ts';
import { type ClientSocket, formatMark, microseconds, openClientSocket } from './client-sockets.ts';

/** The clients of the realtime bench, in a separate process, so that the server's process contains only the server. */

/** The channels that the clients join. Null joins none, because a bare server sends to every socket. */
type Join = {
  /** `{token}` of a topic stands for the number of the socket. */
  readonly topic: string;
  readonly config: object;
  /** One token per socket. If empty, sockets use their key. */
  readonly tokens: readonly string[];
};
type Opening = {
  readonly port: number;
  readonly path: string;
  readonly count: number;
  readonly join: Join | null;
};
/** Broadcasts of the first socket to all others. `perSecond`: null to send as fast as they arrive, with a few in flight. */
export type Sending = { readonly seconds: number; readonly bytes: number; readonly perSecond: number | null };
/** The messages that arrived since the last report. */
export type Report = { readonly received: number; readonly perSecond: number; readonly latencies: Latencies };
type Joining = { readonly seconds: number; readonly atOnce: number; readonly join: Join };
type Posting = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly perSecond: number;
  readonly bytes: number;
};

type Calls = {
  open(opening: Opening): Promise<void>;
  send(sending: Sending): Promise<Report>;
  post(posting: Posting): Promise<Report>;
  /** Joins and leaves as fast as the server answers. Returns joins per second and their times. */
  joins(joining: Joining): Promise<Report>;
  /** Starts a measurement and forgets what arrived before. */
  begin(): Promise<void>;
  report(): Promise<Report>;
  close(): Promise<void>;
};
export type Clients = Calls & { stop(): void };

const NAMES = ['open', 'send', 'post', 'joins', 'begin', 'report', 'close'] as const satisfies readonly (keyof Calls)[];
/** The number of broadcasts in flight. */
const WINDOW = 4;
const HEARTBEAT_MS = 20_000;
const OPENING_AT_ONCE = 50;

/** Starts the process of the clients. */
export function startClients(): Clients {
  const child = fork(fileURLToPath(import.meta.url), ['clients']);
  let last = 0;
  const call = (name: string, value: unknown): Promise<never> =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      const onMessage = (answer: { id: number; value: never; error: string | null }): void => {
        if (answer.id !== id) return;
        child.off('message', onMessage);
        if (answer.error === null) resolve(answer.value);
        else reject(new Error(answer.error));
      };
      child.on('message', onMessage);
      child.send({ id, name, value });
    });
  return {
    open: (opening) => call('open', opening),
    send: (sending) => call('send', sending),
    post: (posting) => call('post', posting),
    joins: (joining) => call('joins', joining),
    begin: () => call('begin', null),
    report: () => call('report', null),
    close: () => call('close', null),
    stop: () => stop(child),
  };
}

const stop = (child: ChildProcess): void => void child.kill();

type TopicClient = { readonly socket: ClientSocket; topic: string; joinRef: string; answered: (text: string) => void };
type State = {
  ones: TopicClient[];
  times: number[];
  since: number;
  received: number;
  onReceived: () => void;
  refs: number;
};

function serve(): void {
  process.once('disconnect', () => process.exit());
  const state: State = { ones: [], times: [], since: 0, received: 0, onReceived: () => undefined, refs: 0 };
  const calls: Calls = {
    open: (opening) => open(state, opening),
    send: (sending) => send(state, sending),
    post: (posting) => post(state, posting),
    joins: (joining) => joins(state, joining),
    async begin() {
      begin(state);
    },
    report: () => Promise.resolve(report(state)),
    async close() {
      for (const { socket } of state.ones.splice(0)) socket.close();
    },
  };
  process.on('message', ({ id, name, value }: { id: number; name: string; value: never }) => {
    const found = NAMES.find((callName) => callName === name) ?? 'report';
    calls[found](value).then(
      (answer) => process.send?.({ id, value: answer, error: null }),
      (error: unknown) => process.send?.({ id, value: null, error: String(error) }),
    );
  });
  setInterval(() => {
    for (const connection of state.ones)
      if (connection.topic !== '') connection.socket.send('[null,"h","phoenix","heartbeat",{}]');
  }, HEARTBEAT_MS);
}

function begin(state: State): void {
  state.times = [];
  state.received = 0;
  state.since = performance.now();
}

function report(state: State): Report {
  const seconds = (performance.now() - state.since) / 1000;
  return { received: state.received, perSecond: state.received / seconds, latencies: toLatencies(state.times) };
}

async function open(state: State, { port, path, count, join }: Opening): Promise<void> {
  let next = 0;
  const openSome = async (): Promise<void> => {
    while (next < count) {
      const at = next;
      next += 1;
      const socket = await openClientSocket(port, path, {
        onText: (text) => state.ones[at]?.answered(text),
        onMarked: (sentAt) => note(state, sentAt),
        onClose: () => undefined,
      });
      const connection: TopicClient = { socket, topic: '', joinRef: '', answered: () => undefined };
      state.ones[at] = connection;
      if (join) await joinTopic(state, connection, at, join);
    }
  };
  await Promise.all(Array.from({ length: OPENING_AT_ONCE }, openSome));
}

function note(state: State, sentAt: number): void {
  state.received += 1;
  state.times.push((microseconds() - sentAt) / 1000);
  state.onReceived();
}

/** Joins and waits for the answer and, with table changes, until changes are captured. */
async function joinTopic(
  state: State,
  connection: TopicClient,
  at: number,
  { topic, config, tokens }: Join,
): Promise<void> {
  connection.topic = `realtime:${topic.replace('{number}', String(at))}`;
  connection.joinRef = String((state.refs += 1));
  const token = tokens[at];
  const payload = { config, ...(token === undefined ? {} : { access_token: token }) };
  const last = 'postgres_changes' in config ? 'Subscribed to PostgreSQL' : '"phx_reply"';
  const done = Promise.withResolvers<void>();
  connection.answered = (text) => {
    if (text.includes('"status":"error"')) done.reject(new Error(text));
    else if (text.includes(last)) done.resolve();
  };
  connection.socket.send(
    JSON.stringify([connection.joinRef, connection.joinRef, connection.topic, 'phx_join', payload]),
  );
  await done.promise;
  connection.answered = () => undefined;
}

async function send(state: State, { seconds, bytes, perSecond }: Sending): Promise<Report> {
  const [sender, ...others] = state.ones;
  if (!sender) throw new Error('no socket is open');
  begin(state);
  let sent = 0;
  const end = state.since + seconds * 1000;
  const sendBroadcast = (): void => {
    sent += 1;
    sender.socket.send(encodeBroadcast(sender, bytes));
  };
  if (perSecond === null) {
    const finished = Promise.withResolvers<void>();
    state.onReceived = () => {
      if (performance.now() >= end) finished.resolve();
      else if (state.received > (sent - WINDOW) * others.length) sendBroadcast();
    };
    for (let index = 0; index < WINDOW; index += 1) sendBroadcast();
    await finished.promise;
    state.onReceived = () => undefined;
    const found = report(state);
    await settle(state, sent * others.length);
    return found;
  }
  await pace(seconds, perSecond, async () => sendBroadcast());
  await settle(state, sent * others.length);
  return report(state);
}

/**
 * Encodes a broadcast push for the server. For a bare server it encodes the frame that the server would send for that push, byte for byte.
 */
function encodeBroadcast({ topic, joinRef }: TopicClient, bytes: number): Buffer {
  const mark = formatMark(microseconds());
  const payload = `{"mark":"${mark}","pad":"${'x'.repeat(Math.max(0, bytes - mark.length - 21))}"}`;
  const name = topic === '' ? 'realtime:bench' : topic;
  const event = 'message';
  const head =
    topic === '' ? [4, name.length, event.length, 0, 1] : [3, joinRef.length, 0, name.length, event.length, 0, 1];
  const strings = topic === '' ? name + event : joinRef + name + event;
  return Buffer.concat([Buffer.from(head), Buffer.from(strings + payload)]);
}

/** Calls `work` at even intervals, however long each call takes. */
async function pace(seconds: number, perSecond: number, work: () => Promise<void>): Promise<void> {
  const began = performance.now();
  const running: Promise<void>[] = [];
  for (let index = 0; index < seconds * perSecond; index += 1) {
    const wait = began + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
    running.push(work());
  }
  await Promise.all(running);
}

/** Waits for at most five seconds until everything has arrived. Throws if something is missing. */
async function settle(state: State, expected: number): Promise<void> {
  const end = performance.now() + 5_000;
  while (state.received < expected && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
  if (state.received !== expected) throw new Error(`${state.received} messages arrived instead of ${expected}`);
}

async function post(state: State, { url, headers, seconds, perSecond, bytes }: Posting): Promise<Report> {
  begin(state);
  let sent = 0;
  await pace(seconds, perSecond, async () => {
    sent += 1;
    const payload = { mark: formatMark(microseconds()), pad: 'x'.repeat(bytes) };
    const body = JSON.stringify({ messages: [{ topic: 'bench', event: 'message', payload }] });
    const answer = await fetch(url, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  });
  await settle(state, sent * state.ones.length);
  return report(state);
}

async function joins(state: State, { seconds, atOnce, join }: Joining): Promise<Report> {
  begin(state);
  const end = state.since + seconds * 1000;
  // Each loop has separate sockets, because a socket answers one join at a time.
  const joinSome = async (loop: number): Promise<void> => {
    for (
      let index = loop;
      performance.now() < end;
      index = index + atOnce < state.ones.length ? index + atOnce : loop
    ) {
      const connection = state.ones[index];
      if (!connection) return;
      const began = performance.now();
      await joinTopic(state, connection, index, join);
      state.times.push(performance.now() - began);
      state.received += 1;
      connection.socket.send(JSON.stringify([connection.joinRef, null, connection.topic, 'phx_leave', {}]));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, loop) => joinSome(loop)));
  return report(state);
}

if (process.argv[2] === 'clients') serve();
