/** Converts values between JavaScript and PostgreSQL's text format, in the same way for both engines (see database.ts). */

/** Encodes a parameter as PostgreSQL text; null stays null. */
export function encodeValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return encodeArray(value);
  return JSON.stringify(value);
}

function encodeArray(items: readonly unknown[]): string {
  const parts = items.map((item) => {
    if (Array.isArray(item)) return encodeArray(item);
    const text = encodeValue(item);
    return text === null ? 'NULL' : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  });
  return `{${parts.join(',')}}`;
}

type Decoder = (text: string) => unknown;

const asNumber: Decoder = (text) => Number(text);
const asDate: Decoder = (text) => decodeTimestamp(text);
const asJson: Decoder = (text) => JSON.parse(text);

/** Decoders by type OID; other types stay text. */
const DECODERS: ReadonlyMap<number, Decoder> = new Map<number, Decoder>([
  [16, (text) => text === 't'],
  [17, (text) => Buffer.from(text.slice(2), 'hex')],
  [20, asNumber],
  [21, asNumber],
  [23, asNumber],
  [26, asNumber],
  [700, asNumber],
  [701, asNumber],
  [114, asJson],
  [3802, asJson],
  [1114, asDate],
  [1184, asDate],
  [1000, (text) => decodeArray(text, (item) => item === 't')],
  [1005, (text) => decodeArray(text, asNumber)],
  [1007, (text) => decodeArray(text, asNumber)],
  [1016, (text) => decodeArray(text, asNumber)],
  [1021, (text) => decodeArray(text, asNumber)],
  [1022, (text) => decodeArray(text, asNumber)],
  [1009, (text) => decodeArray(text)],
  [1015, (text) => decodeArray(text)],
  [1185, (text) => decodeArray(text, asDate)],
  [2951, (text) => decodeArray(text)],
  [199, (text) => decodeArray(text, asJson)],
  [3807, (text) => decodeArray(text, asJson)],
]);

/** Decodes a column's text by its type. */
export function decodeValue(typeOid: number, text: string | null): unknown {
  if (text === null) return null;
  const decode = DECODERS.get(typeOid);
  return decode ? decode(text) : text;
}

/** '2026-11-21 04:05:06.789+00' → Date. The server's sessions always use ISO with an offset. */
function decodeTimestamp(text: string): Date {
  const iso = text.replace(' ', 'T').replace(/([+-]\d{2})$/, '$1:00');
  return new Date(/[+-]\d{2}:\d{2}$|Z$/.test(iso) ? iso : `${iso}Z`);
}

/** Decodes PostgreSQL's array literal, including nested arrays. */
function decodeArray(text: string, decode: Decoder = (item) => item): unknown[] {
  let at = text.indexOf('{') + 1;
  const readList = (): unknown[] => {
    const items: unknown[] = [];
    while (at < text.length) {
      const char = text[at];
      if (char === '}') {
        at += 1;
        return items;
      }
      if (char === ',') at += 1;
      else if (char === '{') {
        at += 1;
        items.push(readList());
      } else if (char === '"') items.push(decode(readQuoted()));
      else items.push(readBare());
    }
    return items;
  };
  const readQuoted = (): string => {
    let out = '';
    at += 1;
    while (at < text.length && text[at] !== '"') {
      if (text[at] === '\\') at += 1;
      out += text[at];
      at += 1;
    }
    at += 1;
    return out;
  };
  const readBare = (): unknown => {
    const start = at;
    while (at < text.length && text[at] !== ',' && text[at] !== '}') at += 1;
    const item = text.slice(start, at);
    return item === 'NULL' ? null : decode(item);
  };
  return readList();
}
