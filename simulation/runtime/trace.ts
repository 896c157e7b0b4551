import { createHash } from 'node:crypto';

/** Everything that happens, in order. Two runs with the same hash are the same run. */
export type Trace = {
  add(...parts: readonly (string | number | null | ArrayBuffer)[]): void;
  /** Returns a hash of everything so far. */
  hash(): string;
  /** The number of entries. */
  length(): number;
};

/** Signatures of tokens and the sandbox's key pair are random in OpenSSL, which the seed does not reach. */
const SIGNATURE = /(eyJ[\w-]+\.eyJ[\w-]+)\.[\w-]+|-----BEGIN PUBLIC KEY-----[^-]+/g;

const LINE_MAX = 400;

/** `print`: called with a line for each entry. */
export function createTrace(now: () => number, print: ((line: string) => void) | null): Trace {
  const hash = createHash('sha256');
  let length = 0;
  return {
    add(...parts) {
      length += 1;
      const texts = parts.map((part) =>
        part instanceof ArrayBuffer ? Buffer.from(part).toString('latin1').replace(SIGNATURE, '$1') : String(part),
      );
      const line = `${now()} ${texts.join(' ')}\n`;
      hash.update(line);
      print?.(line.slice(0, LINE_MAX).trimEnd());
    },
    hash: () => hash.copy().digest('hex').slice(0, 16),
    length: () => length,
  };
}
