import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonRefused } from '#server/http/bodies/json.ts';
import {
  type Broadcast,
  encodeBroadcast,
  encodeText,
  GUEST_JSON,
  MEMBER_JSON,
  readFrame,
  type Serializer,
} from './frames.ts';

const utf8 = (text: string): Buffer => Buffer.from(text);

/** Reads a text or binary frame of a signed-in client. */
const read = (serializer: Serializer, data: string | Uint8Array, limits = MEMBER_JSON): ReturnType<typeof readFrame> =>
  readFrame(serializer, { bytes: Buffer.from(data), isBinary: typeof data !== 'string' }, limits);

/** A kind-3 frame, built byte by byte. */
function broadcastPush(strings: readonly string[], encoding: number, payload: Uint8Array): Buffer {
  const parts = strings.map(utf8);
  return Buffer.concat([Buffer.from([3, ...parts.map((part) => part.length), encoding]), ...parts, payload]);
}

describe('serializer 1.0.0', () => {
  test('an object with topic, event, payload and ref is a frame', () => {
    const text = '{"topic":"realtime:a","event":"phx_join","payload":{"x":1},"ref":"2","join_ref":"1"}';
    expect(read('1.0.0', text)).toEqual({
      joinRef: '1',
      ref: '2',
      topic: 'realtime:a',
      event: 'phx_join',
      payload: { x: 1 },
    });
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '"x"',
    '{"topic":"a","event":"b","payload":{}}',
    '{"event":"b","ref":"1"}',
    '[null,"1","a","b",{}]',
  ])('%s is no frame', (text) => expect(read('1.0.0', text)).toBeNull());

  test('a binary frame is no frame', () => {
    expect(read('1.0.0', broadcastPush(['1', '2', 'realtime:a', 'e', ''], 1, utf8('{}')))).toBeNull();
  });

  test('a reply has no join_ref', () => {
    const frame = { joinRef: '1', ref: '2', topic: 'realtime:a', event: 'phx_reply', payload: '{"status":"ok"}' };
    expect(JSON.parse(encodeText('1.0.0', frame))).toEqual({
      topic: 'realtime:a',
      event: 'phx_reply',
      payload: { status: 'ok' },
      ref: '2',
    });
  });
});

describe('serializer 2.0.0', () => {
  test('an array of five elements is a frame; further elements are ignored', () => {
    expect(read('2.0.0', '["1","2","realtime:a","e",{"x":1},"more"]')).toEqual({
      joinRef: '1',
      ref: '2',
      topic: 'realtime:a',
      event: 'e',
      payload: { x: 1 },
    });
  });

  test.each(['["1","2","a","e"]', '[1,2,3,4,{}]', '[null,null,null,"e",{}]', '{"topic":"a"}', 'x'])(
    '%s is no frame',
    (text) => expect(read('2.0.0', text)).toBeNull(),
  );

  test('a broadcast push of kind 3 carries JSON with metadata', () => {
    const frame = broadcastPush(['1', '2', 'realtime:ä', 'été', '{"persist":true}'], 1, utf8('{"n":1}'));
    expect(read('2.0.0', frame)).toEqual({
      joinRef: '1',
      ref: '2',
      topic: 'realtime:ä',
      event: 'broadcast',
      broadcast: { event: 'été', body: { json: '{"n":1}' }, meta: { persist: true } },
    });
  });

  test('a broadcast push of kind 3 carries bytes', () => {
    const frame = read('2.0.0', broadcastPush(['', '', 'realtime:a', 'e', ''], 0, Buffer.from([0, 255])));
    expect(frame).toMatchObject({
      joinRef: null,
      ref: null,
      broadcast: { body: { bytes: Buffer.from([0, 255]) }, meta: null },
    });
  });

  test('a push of kind 0 carries bytes', () => {
    const parts = ['1', '2', 'realtime:a', 'raw'].map(utf8);
    const frame = Buffer.concat([Buffer.from([0, ...parts.map((part) => part.length)]), ...parts, Buffer.from([7])]);
    expect(read('2.0.0', frame)).toEqual({
      joinRef: '1',
      ref: '2',
      topic: 'realtime:a',
      event: 'raw',
      payload: Buffer.from([7]),
    });
  });

  test.each([
    ['a length that exceeds the frame', Buffer.from([3, 0, 0, 200, 0, 0, 1, 97])],
    ['no length bytes', Buffer.from([3])],
    ['an unknown encoding', broadcastPush(['', '', 'a', 'e', ''], 2, utf8('{}'))],
    ['metadata that is no object', broadcastPush(['', '', 'a', 'e', '[1]'], 1, utf8('{}'))],
    ['a payload that is no JSON', broadcastPush(['', '', 'a', 'e', ''], 1, utf8('{'))],
    ['a topic that is no UTF-8', Buffer.from([3, 0, 0, 1, 0, 0, 0, 255])],
    ['a kind that only the server sends', Buffer.from([4, 0, 0, 0, 0])],
    ['nothing', Buffer.alloc(0)],
  ])('%s is no frame', (_name, frame) => expect(read('2.0.0', frame)).toBeNull());

  test('a broadcast to clients is of kind 4', () => {
    const frame = encodeBroadcast('2.0.0', 'realtime:a', { event: 'é', body: { json: '[1]' }, meta: { id: 'x' } });
    const expected = Buffer.concat([Buffer.from([4, 10, 2, 10, 1]), utf8('realtime:aé{"id":"x"}[1]')]);
    expect(frame).toEqual(expected);
  });

  test('a broadcast whose event is over 255 bytes is sent as text', () => {
    const event = 'e'.repeat(256);
    const frame = encodeBroadcast('2.0.0', 'realtime:a', { event, body: { json: '{}' }, meta: null });
    expect(JSON.parse(String(frame))).toEqual([
      null,
      null,
      'realtime:a',
      'broadcast',
      { type: 'broadcast', event, payload: {} },
    ]);
  });
});

test('bytes are not sent to a client with serializer 1.0.0', () => {
  expect(
    encodeBroadcast('1.0.0', 'realtime:a', { event: 'e', body: { bytes: new Uint8Array(1) }, meta: null }),
  ).toBeNull();
});

test('what any client sends as a broadcast arrives unchanged at a client of the other serializer', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.jsonValue(), (event, payload) => {
      const json = JSON.stringify(payload);
      const sent = read('2.0.0', broadcastPush(['1', '2', 'realtime:a', event, ''], 1, utf8(json)));
      const broadcast: Broadcast =
        sent && 'broadcast' in sent ? sent.broadcast : { event: '', body: { json: '' }, meta: null };
      const text = JSON.parse(String(encodeBroadcast('1.0.0', 'realtime:a', broadcast)));
      expect(text.payload).toEqual({ type: 'broadcast', event: utf8(event).toString(), payload: JSON.parse(json) });
    }),
  );
});

test('made-up bytes and texts never throw anything but a refusal', () => {
  const runs = process.env['TEST_LONG'] ? 100_000 : 2_000;
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), fc.string(), fc.json()), (data) => {
      for (const serializer of ['1.0.0', '2.0.0'] as const)
        try {
          read(serializer, data);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonRefused);
        }
    }),
    { numRuns: runs },
  );
});

test('JSON above the limits is refused in text, in metadata and in the payload of a broadcast', () => {
  const deep = `${'['.repeat(33)}${']'.repeat(33)}`;
  const many = `[${'1,'.repeat(1_000)}1]`;
  for (const json of [deep, many, `[${'1'.repeat(1_001)}]`]) {
    for (const frame of [
      `["1","2","realtime:a","e",${json}]`,
      broadcastPush(['1', '2', 'realtime:a', 'e', ''], 1, utf8(json)),
    ])
      expect(() => read('2.0.0', frame, GUEST_JSON)).toThrow(expect.objectContaining({ name: 'JsonRefused' }));
    expect(() => read('1.0.0', `{"topic":"realtime:a","event":"e","ref":"1","payload":${json}}`, GUEST_JSON)).toThrow(
      expect.objectContaining({ name: 'JsonRefused' }),
    );
  }
  const metadata = broadcastPush(['1', '2', 'realtime:a', 'e', `{"a":${deep}}`], 1, utf8('{}'));
  expect(() => read('2.0.0', metadata, GUEST_JSON)).toThrow(expect.objectContaining({ name: 'JsonRefused' }));
});
