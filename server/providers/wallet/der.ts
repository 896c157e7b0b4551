/** The little of DER (X.690) that a signature needs. */

/** Encodes a value: its tag, its length, and its content. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = Buffer.from(length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
/** A set has its members in the order of their bytes. */
export const set = (...members: readonly Buffer[]): Buffer => der(0x31, ...members.toSorted((a, b) => a.compare(b)));
export const octets = (content: Uint8Array): Buffer => der(0x04, content);
export const integer = (value: number): Buffer => der(0x02, Buffer.from([value]));
export const NULL = der(0x05);

/** Encodes an object identifier such as '1.2.840.113549.1.7.2'. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80);
  return bytes;
}

/** Encodes an instant of the years 1950 to 2049, as CMS wants it (RFC 5652, section 11.3). */
export const utcTime = (at: Date): Buffer =>
  der(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

/** Returns the encoded values inside of a constructed one, in their order. Throws for bytes that are no DER. */
export function membersOf(value: Buffer): Buffer[] {
  const { start, end } = extentOf(value, 0);
  const members: Buffer[] = [];
  for (let at = start; at < end;) {
    const member = extentOf(value, at);
    members.push(value.subarray(at, member.end));
    at = member.end;
  }
  return members;
}

function extentOf(bytes: Buffer, at: number): { start: number; end: number } {
  const short = bytes.readUInt8(at + 1);
  const size = short < 0x80 ? 0 : short & 0x7f;
  const start = at + 2 + size;
  const end = start + (size === 0 ? short : bytes.readUIntBE(at + 2, size));
  if (end > bytes.length) throw new RangeError('a value is longer than its bytes');
  return { start, end };
}
