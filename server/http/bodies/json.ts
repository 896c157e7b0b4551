/**
 * The only reader of JSON that clients send. One pass over the bytes counts what makes parsing expensive, and stops at the first exceeded
 * limit. JSON.parse takes twenty times as long as this pass for a megabyte with sixty thousand different keys.
 */

/** `members`: the number of values in objects and lists, at all levels. */
export type JsonLimits = { readonly members: number; readonly depth: number };

/** Maximum number of digits in one part of a number. The time of the database and of JSON.parse grows faster than the square of it. */
const DIGITS_MAX = 1_000;
/** The largest accepted exponent; the smallest number in JavaScript is 5e-324. The database would store 1e100000 with all its digits. */
const EXPONENT_MAX = 324;

/** Thrown for JSON that is refused before it is parsed. The message is for the sender. */
export class JsonRefused extends Error {
  override readonly name = 'JsonRefused';
}

const [OTHER, OPEN, CLOSE, COMMA, QUOTE, DIGIT, EXPONENT] = [0, 1, 2, 3, 4, 5, 6];
const KINDS = new Uint8Array(256);
for (const [kind, characters] of [
  [OPEN, '[{'],
  [CLOSE, ']}'],
  [COMMA, ','],
  [QUOTE, '"'],
  [DIGIT, '0123456789'],
  [EXPONENT, 'eE'],
] as const)
  for (const byte of Buffer.from(characters)) KINDS[byte] = kind ?? OTHER;
const [QUOTE_BYTE, BACKSLASH, PLUS, MINUS] = [0x22, 0x5c, 0x2b, 0x2d] as const;

/** Throws `JsonRefused` for JSON above the limits. Bytes that are not JSON pass this check, because JSON.parse refuses them. */
export function checkJson(bytes: Uint8Array, { members: membersMax, depth: depthMax }: JsonLimits): void {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const kind = KINDS[bytes[index] ?? 0];
    if (kind === OTHER) continue;
    if (kind === QUOTE) index = endOfText(bytes, index);
    else if (kind === DIGIT) index = endOfDigits(bytes, index);
    else if (kind === EXPONENT) checkExponent(bytes, index);
    else if (kind === CLOSE) depth -= 1;
    else {
      // An opening bracket counts as the first member of its object or list, and each comma as another.
      members += 1;
      if (kind === OPEN) depth += 1;
      if (members > membersMax) throw new JsonRefused(`The JSON has more than ${membersMax} members`);
      if (depth > depthMax) throw new JsonRefused(`The JSON is nested deeper than ${depthMax} levels`);
    }
  }
}

/** Parses JSON within the limits. Throws `JsonRefused`, or `SyntaxError` for bytes that are not JSON. */
export function parseJson(bytes: Buffer, limits: JsonLimits): unknown {
  checkJson(bytes, limits);
  return JSON.parse(bytes.toString('utf8'));
}

/** The first bytes of a text are compared one by one, up to this many. For the rest of a longer text, `indexOf` is faster. */
const SHORT_TEXT = 64;

/** Returns the index of the quote that ends the text beginning at `start`. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (const near = Math.min(bytes.length, at + SHORT_TEXT); at < near; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE_BYTE) return at;
    if (byte === BACKSLASH) at += 1;
  }
  for (;;) {
    const quote = bytes.indexOf(QUOTE_BYTE, at);
    if (quote === -1) return bytes.length;
    let escapes = 0;
    while (quote - escapes > at && bytes[quote - escapes - 1] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** Returns the index of the last digit. Throws `JsonRefused` for too many digits. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (KINDS[bytes[at] ?? 0] === DIGIT) at += 1;
  if (at - start > DIGITS_MAX) throw new JsonRefused(`A number has more than ${DIGITS_MAX} digits`);
  return at - 1;
}

function checkExponent(bytes: Uint8Array, start: number): void {
  let at = start + 1;
  if (bytes[at] === PLUS || bytes[at] === MINUS) at += 1;
  let exponent = 0;
  for (; KINDS[bytes[at] ?? 0] === DIGIT && exponent <= EXPONENT_MAX; at += 1)
    exponent = exponent * 10 + (bytes[at] ?? 0) - 0x30;
  if (exponent > EXPONENT_MAX) throw new JsonRefused(`A number has an exponent above ${EXPONENT_MAX}`);
}
