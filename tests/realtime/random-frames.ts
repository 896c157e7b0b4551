type Random = (max: number) => number;
type Frame = { readonly data: string | Uint8Array; readonly binary: boolean };

const TOPICS = [
  'realtime:a',
  'realtime:b',
  'realtime:open',
  'realtime:private',
  'realtime:',
  'realtime:\0',
  'phoenix',
  '',
  'x'.repeat(300),
];
const EVENTS = [
  'phx_join',
  'phx_join',
  'phx_leave',
  'broadcast',
  'broadcast',
  'presence',
  'access_token',
  'heartbeat',
  'phx_close',
  '',
  '\uD800',
  'e'.repeat(300),
];
const VALUES: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1e308,
  '',
  'true',
  '\uDC00\0',
  [],
  [null],
  {},
  { config: null },
  { access_token: null },
  { access_token: 'sb_publishable_x' },
  { access_token: 'a.b.c' },
  { access_token: `${'x'.repeat(9_000)}.e30.y` },
  { __proto__: null, constructor: {}, toString: 1 },
];

/** Returns a frame as clients send it, a frame with wrong parts, or bytes that are not a frame. */
export function randomFrame(random: Random, serializer: '1.0.0' | '2.0.0'): Frame {
  const kind = random(12);
  if (kind < 6) return { data: textFrame(random, serializer), binary: random(20) === 0 };
  if (kind < 9) return { data: binaryFrame(random), binary: true };
  if (kind === 9) return { data: mutate(random, Buffer.from(textFrame(random, serializer))), binary: random(20) > 0 };
  if (kind === 10) return { data: mutate(random, binaryFrame(random)), binary: true };
  return { data: hostileText(random), binary: false };
}

const pick = <T>(random: Random, list: readonly T[]): T | undefined => list[random(list.length)];

function textFrame(random: Random, serializer: string): string {
  const topic = random(30) === 0 ? pick(random, VALUES) : pick(random, TOPICS);
  const event = random(30) === 0 ? pick(random, VALUES) : pick(random, EVENTS);
  const [joinRef, ref] = [createRef(random), createRef(random)];
  const payload = random(3) === 0 ? pick(random, VALUES) : createPayload(random, event);
  return JSON.stringify(
    serializer === '2.0.0'
      ? [joinRef, ref, topic, event, payload].slice(0, random(20) === 0 ? random(5) : 5)
      : { topic, event, payload, ref, join_ref: joinRef },
  );
}

function createRef(random: Random): unknown {
  const kind = random(20);
  if (kind === 0) return 'r'.repeat(100_000);
  return kind < 3 ? pick(random, VALUES) : String(random(9));
}

function createPayload(random: Random, event: unknown): unknown {
  const anything = (): unknown => (random(4) === 0 ? pick(random, VALUES) : undefined);
  if (event === 'phx_join')
    return {
      config: {
        broadcast: {
          ack: random(2) === 0,
          self: anything(),
          replay: anything() ?? { since: random(3), limit: random(40) },
          replication_ready: anything(),
        },
        presence: { key: anything() ?? 'k', enabled: random(2) === 0 },
        postgres_changes: anything() ?? [
          {
            event: '*',
            schema: pick(random, ['public', '*', 'auth', '"']),
            table: anything() ?? 'bookings',
            filter: pick(random, ['id=eq.1', 'a=in.(', 'x=match.(', `id=eq.\0`, '"\\', `a=in.(${'1,'.repeat(200)})`]),
          },
        ],
        private: random(2) === 0,
        postgres_changes_options: anything(),
      },
      access_token: anything(),
    };
  if (event === 'presence')
    return {
      type: 'presence',
      event: pick(random, ['track', 'TRACK', 'untrack', 'x']),
      payload: anything() ?? { n: random(5) },
    };
  return {
    type: 'broadcast',
    event: anything() ?? 'e',
    payload: anything() ?? { n: random(5) },
    access_token: anything(),
  };
}

function binaryFrame(random: Random): Buffer {
  const strings = [
    '1',
    String(random(5)),
    String(pick(random, TOPICS)),
    'event',
    random(3) === 0 ? '{"persist":{"ttl":-1}}' : '',
  ];
  const parts = strings.slice(0, random(4) === 0 ? 4 : 5).map((text) => Buffer.from(text).subarray(0, 255));
  const lengths = parts.map((part) => (random(40) === 0 ? random(256) : part.length));
  const isPush = parts.length === 4;
  const head = isPush ? [0, ...lengths] : [random(30) === 0 ? random(256) : 3, ...lengths, random(3)];
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from('{"n":1}')]);
}

/** Changes, removes, repeats or inserts a few bytes. */
function mutate(random: Random, bytes: Buffer): Buffer {
  let result = Buffer.from(bytes.subarray(0, 20_000));
  for (let count = 0; count <= random(4); count += 1) {
    const at = random(result.length + 1);
    const kind = random(4);
    if (kind === 0 && at < result.length) result[at] = random(256);
    if (kind === 1) result = result.subarray(0, at);
    if (kind === 2) result = Buffer.concat([result.subarray(0, at), Buffer.from([random(256)]), result.subarray(at)]);
    if (kind === 3) result = Buffer.concat([result, result.subarray(at)]);
  }
  return result;
}

function hostileText(random: Random): string {
  const kind = random(6);
  if (kind === 0) return '['.repeat(5_000) + ']'.repeat(5_000);
  if (kind === 1) return `["1","2","realtime:a","broadcast",${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}]`;
  if (kind === 2) return `["1","2","realtime:a","broadcast",{"event":"e","payload":${'9'.repeat(1_000)}}]`;
  if (kind === 3) return '["1","2","realtime:a","broadcast",{"event":"\\ud800","__proto__":{"x":1}}]';
  if (kind === 4) return Array.from({ length: random(200) }, () => String.fromCharCode(random(65_536))).join('');
  return 'null';
}
