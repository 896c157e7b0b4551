import { isUtf8 } from 'node:buffer';
import { type JsonLimits, parseJson } from '#server/http/bodies/json.ts';

/**
 * Frames of the two serializers of Phoenix channels, as supabase-js uses them. 1.0.0 sends JSON objects only; 2.0.0 sends JSON arrays and
 * binary frames. In a binary frame, byte 0 is the kind; the lengths of the strings follow, one byte each, then the strings, then the payload.
 */
export type Serializer = '1.0.0' | '2.0.0';

export const SERIALIZERS: readonly Serializer[] = ['1.0.0', '2.0.0'];

/** A text frame, or a binary push with a raw payload. */
export type Push = {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  /** Any JSON value; bytes for a binary push. */
  readonly payload: unknown;
};

/** A broadcast of a 2.0.0 client: a binary frame with the user's event and payload. */
export type BroadcastPush = Omit<Push, 'payload'> & { readonly broadcast: Broadcast };

export type Broadcast = {
  readonly event: string;
  readonly body: BroadcastBody;
  /** The `meta` of the message, or null. */
  readonly meta: Readonly<Record<string, unknown>> | null;
};

/**
 * JSON text, or raw bytes. `whole`: JSON text of the whole payload of a text broadcast, `{type, event, payload, …}`, which is relayed
 * unchanged.
 */
export type BroadcastBody = { readonly json: string } | { readonly bytes: Uint8Array } | { readonly whole: string };

/** Returns the number of bytes that count towards the limit of payloads. */
export function sizeOfBody(body: BroadcastBody): number {
  if ('bytes' in body) return body.bytes.byteLength;
  return Buffer.byteLength('json' in body ? body.json : body.whole);
}

export type ClientFrame = Push | BroadcastPush;

/** A message from the server to one socket. `payload` is JSON text, so that the same text serves many sockets. */
export type ServerFrame = Omit<Push, 'payload'> & { readonly payload: string };

const KIND_PUSH = 0;
const KIND_BROADCAST_PUSH = 3;
const KIND_BROADCAST = 4;
const ENCODING_BYTES = 0;
const ENCODING_JSON = 1;
const LENGTH_MAX = 255;

/** Limits of messages from guests and from signed-in clients. */
export const GUEST_JSON: JsonLimits = { members: 1_000, depth: 32 };
export const MEMBER_JSON: JsonLimits = { members: 20_000, depth: 100 };

/** One message of a socket, as text or as bytes. */
export type Frame = { readonly bytes: Buffer; readonly isBinary: boolean };

/**
 * Reads a frame of a client. Returns null for a frame of any other shape, which the caller drops. Throws `JsonRefused` for JSON above the
 * limits, before parsing it.
 */
export function readFrame(serializer: Serializer, { bytes, isBinary }: Frame, limits: JsonLimits): ClientFrame | null {
  if (isBinary) return serializer === '2.0.0' ? readBinary(bytes, limits) : null;
  const value = readJson(bytes, limits);
  if (value === undefined) return null;
  return serializer === '2.0.0' ? readArray(value) : readObject(value);
}

function readArray(value: unknown): Push | null {
  if (!Array.isArray(value) || value.length < 5) return null;
  const [joinRef, ref, topic, event, payload]: unknown[] = value;
  return toPush({ joinRef, ref, topic, event, payload });
}

function readObject(value: unknown): Push | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
  const { join_ref: joinRef, ref, topic, event, payload }: Record<string, unknown> = { ...value };
  if (ref === undefined) return null;
  return toPush({ joinRef, ref, topic, event, payload });
}

function toPush({ joinRef, ref, topic, event, payload }: Record<keyof Push, unknown>): Push | null {
  if (typeof topic !== 'string' || typeof event !== 'string') return null;
  if (!isRef(joinRef) || !isRef(ref)) return null;
  return { joinRef: joinRef ?? null, ref: ref ?? null, topic, event, payload: payload ?? {} };
}

const isRef = (value: unknown): value is string | null | undefined =>
  value === null || value === undefined || (typeof value === 'string' && value.length <= LENGTH_MAX);

function readBinary(frame: Buffer, limits: JsonLimits): ClientFrame | null {
  const kind = frame[0];
  if (kind === KIND_PUSH) {
    const parts = readStrings(frame, { from: 1, count: 4, gap: 0 });
    if (!parts) return null;
    const [joinRef = '', ref = '', topic = '', event = ''] = parts.strings;
    return { joinRef: joinRef || null, ref: ref || null, topic, event, payload: parts.rest };
  }
  if (kind !== KIND_BROADCAST_PUSH) return null;
  const parts = readStrings(frame, { from: 1, count: 5, gap: 1 });
  const encoding = frame[6];
  if (!parts || (encoding !== ENCODING_BYTES && encoding !== ENCODING_JSON)) return null;
  const [joinRef = '', ref = '', topic = '', event = '', metadata = ''] = parts.strings;
  const meta = readMetadata(metadata, limits);
  if (meta === undefined) return null;
  const body = encoding === ENCODING_BYTES ? { bytes: parts.rest } : readJsonBody(parts.rest, limits);
  return (
    body && { joinRef: joinRef || null, ref: ref || null, topic, event: 'broadcast', broadcast: { event, body, meta } }
  );
}

/** Reads `count` length bytes from `from`, skips `gap` bytes, and reads the strings. Null if the frame is too short or not valid UTF-8. */
function readStrings(
  frame: Uint8Array,
  { from, count, gap }: { from: number; count: number; gap: number },
): { strings: string[]; rest: Uint8Array } | null {
  let at = from + count + gap;
  if (frame.length < at) return null;
  const strings: string[] = [];
  for (const length of frame.subarray(from, from + count)) {
    const bytes = frame.subarray(at, at + length);
    if (bytes.length < length || !isUtf8(bytes)) return null;
    strings.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    at += length;
  }
  return { strings, rest: frame.subarray(at) };
}

/** Reads the metadata of a frame. Returns null if it is empty, undefined if it is not a JSON object. */
function readMetadata(text: string, limits: JsonLimits): Readonly<Record<string, unknown>> | null | undefined {
  if (text === '') return null;
  const value = readJson(Buffer.from(text), limits);
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? { ...value } : undefined;
}

function readJsonBody(part: Uint8Array, limits: JsonLimits): BroadcastBody | null {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.length);
  if (!isUtf8(bytes) || readJson(bytes, limits) === undefined) return null;
  return { json: bytes.toString('utf8') };
}

/** Returns undefined for malformed JSON. */
function readJson(bytes: Buffer, limits: JsonLimits): unknown {
  try {
    return parseJson(bytes, limits);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Encodes a frame as text. */
export function encodeText(serializer: Serializer, frame: ServerFrame): string {
  const { joinRef, ref, topic, event, payload } = frame;
  if (serializer === '2.0.0')
    return `[${JSON.stringify(joinRef)},${JSON.stringify(ref)},${JSON.stringify(topic)},${JSON.stringify(event)},${payload}]`;
  return `{"topic":${JSON.stringify(topic)},"event":${JSON.stringify(event)},"payload":${payload},"ref":${JSON.stringify(ref)}}`;
}

/**
 * Encodes a broadcast for the members of a topic. Returns null for bytes and serializer 1.0.0, which cannot carry them. A topic, event or
 * metadata over 255 bytes does not fit a binary frame, so the broadcast is sent as text.
 */
export function encodeBroadcast(serializer: Serializer, topic: string, broadcast: Broadcast): string | Buffer | null {
  const binary = serializer === '2.0.0' ? encodeBinaryBroadcast(topic, broadcast) : null;
  return binary ?? encodeTextBroadcast(serializer, topic, broadcast, null);
}

/** Encodes a stored message for one channel. A text frame carries the ref of the channel's join; a binary frame cannot. */
export function encodeReplayed(
  serializer: Serializer,
  topic: string,
  broadcast: Broadcast,
  joinRef: string | null,
): string | Buffer | null {
  if ('bytes' in broadcast.body) return encodeBroadcast(serializer, topic, broadcast);
  return encodeTextBroadcast(serializer, topic, broadcast, joinRef);
}

function encodeTextBroadcast(
  serializer: Serializer,
  topic: string,
  { event, body, meta }: Broadcast,
  joinRef: string | null,
): string | null {
  if ('bytes' in body) return null;
  const tail = meta === null ? '' : `,"meta":${JSON.stringify(meta)}`;
  const payload =
    'whole' in body
      ? body.whole
      : `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${body.json}${tail}}`;
  return encodeText(serializer, { joinRef, ref: null, topic, event: 'broadcast', payload });
}

function encodeBinaryBroadcast(topic: string, { event, body, meta }: Broadcast): Buffer | null {
  if ('whole' in body) return null;
  const strings = [topic, event, meta === null ? '' : JSON.stringify(meta)].map((text) => Buffer.from(text));
  if (strings.some((bytes) => bytes.length > LENGTH_MAX)) return null;
  const encoding = 'bytes' in body ? ENCODING_BYTES : ENCODING_JSON;
  const payload = 'bytes' in body ? body.bytes : Buffer.from(body.json);
  const head = Buffer.from([KIND_BROADCAST, ...strings.map((bytes) => bytes.length), encoding]);
  return Buffer.concat([head, ...strings, payload]);
}
