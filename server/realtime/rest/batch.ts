import type { Context } from 'hono';
import type { Env } from '#server/http/caller.ts';
import type { RealtimeContext } from '../channels/context.ts';
import { isObject } from '../core/join-request.ts';
import { maySendTo } from '../core/options.ts';
import type { Member } from '../core/token.ts';
import { type Call, readJson } from './call.ts';

type Message = {
  readonly topic: string;
  readonly event: string;
  /** JSON text. */
  readonly payload: string;
  readonly isPrivate: boolean;
  readonly id: string | null;
};
/** The faults of each field of one message; empty if there are none. */
type FieldErrors = Readonly<Record<string, readonly string[]>>;

const BLANK = ["can't be blank"];
const INVALID = ['is invalid'];
const TOO_MANY = 'Too many messages to broadcast, please reduce the batch size';

/** `POST /api/broadcast`: sends `{messages: [{topic, event, payload, private?, id?}]}`. Answers 202, 400, 422 or 429. */
export async function broadcastBatch(context: RealtimeContext, c: Context<Env>, call: Call): Promise<Response> {
  const body = readJson(await call.readBody(), call.member);
  if (body === undefined) return c.json({ errors: { detail: 'Bad Request' } }, 400);
  const sent = isObject(body) ? body['messages'] : undefined;
  if (!Array.isArray(sent) || sent.length === 0) {
    const isMissing = sent === undefined || sent === null || Array.isArray(sent);
    return c.json({ errors: { messages: isMissing ? BLANK : INVALID } }, 422);
  }
  if (sent.length > context.settings.batchMax) return c.json({ message: TOO_MANY }, 429);
  const read = sent.map((message: unknown) => readMessage(message, context.settings.payloadMax));
  const messages = read.flatMap(({ message }) => message ?? []);
  if (messages.length < read.length) return c.json({ errors: { messages: read.map(({ errors }) => errors) } }, 422);
  if (!call.rate.take(context.clock().getTime(), messages.length)) return c.json({ message: TOO_MANY }, 429);
  const mayWrite = createWriteCheck(context, call.member);
  for (const { topic, event, payload, isPrivate, id } of messages) {
    // A message without the right to send it is skipped without an error, as in the service that this API mirrors.
    const allowed = isPrivate ? await mayWrite(topic) : maySendTo(context.settings, call.member, topic);
    if (!allowed) continue;
    const meta = id === null ? null : { id };
    context.topics.broadcast({ name: topic, isPrivate }, { event, body: { json: payload }, meta });
  }
  return c.body(null, 202);
}

function readMessage(sent: unknown, payloadMax: number): { message: Message | null; errors: FieldErrors } {
  const { topic, event, payload, private: isPrivate, id } = isObject(sent) ? sent : {};
  const text = isObject(payload) ? JSON.stringify(payload) : null;
  const faults: readonly [string, readonly string[] | null][] = [
    ['topic', faultOfName(topic)],
    ['event', faultOfName(event)],
    [
      'payload',
      text === null ? (payload === undefined || payload === null ? BLANK : INVALID) : faultOfSize(text, payloadMax),
    ],
    ['private', isFlag(isPrivate) ? null : INVALID],
    ['id', id === undefined || id === null || typeof id === 'string' ? null : INVALID],
  ];
  const errors = Object.fromEntries(faults.flatMap(([name, fault]) => (fault === null ? [] : [[name, fault]])));
  if (Object.keys(errors).length > 0 || typeof topic !== 'string' || typeof event !== 'string' || text === null)
    return { message: null, errors };
  const message = {
    topic,
    event,
    payload: text,
    isPrivate: isPrivate === true,
    id: typeof id === 'string' ? id : null,
  };
  return { message, errors };
}

function faultOfName(value: unknown): readonly string[] | null {
  if (value === undefined || value === null || value === '') return BLANK;
  return typeof value === 'string' ? null : INVALID;
}

const faultOfSize = (text: string, max: number): readonly string[] | null =>
  Buffer.byteLength(text) > max ? ['Payload size exceeds tenant limit'] : null;

const isFlag = (value: unknown): boolean => value === undefined || value === null || typeof value === 'boolean';

/** Creates a check of write rights that queries each topic once, however many messages of a batch it has. */
function createWriteCheck(context: RealtimeContext, member: Member): (topic: string) => Promise<boolean> {
  const answers = new Map<string, Promise<boolean>>();
  return (topic) => {
    const answer = answers.get(topic) ?? context.authorization.mayWrite(member, topic, 'broadcast');
    answers.set(topic, answer);
    return answer;
  };
}
