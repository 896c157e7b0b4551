/** A stream of random numbers that a seed determines (xoshiro128**, Blackman and Vigna). */
export type Random = {
  /** Returns 32 random bits. */
  bits(): number;
  /** Returns a number from 0 to 1, without 1. */
  next(): number;
  /** Returns a whole number from 0 to `end`, without `end`. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** Picks an item. Returns undefined if there is none. */
  pickFrom<T>(items: readonly T[]): T | undefined;
  fill(bytes: Uint8Array): void;
};

export function createRandom(seed: number, stream: string): Random {
  const state = new Uint32Array(4);
  let mixed = (seed ^ hashText(stream)) >>> 0;
  for (let at = 0; at < 4; at += 1) {
    mixed = (mixed + 0x9e37_79b9) >>> 0;
    state[at] = mix(mixed);
  }
  function bits(): number {
    const [a = 0, b = 0, c = 0, d = 0] = state;
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const [c2, d2] = [c ^ a, d ^ b];
    state[1] = b ^ c2;
    state[0] = a ^ d2;
    state[2] = c2 ^ (b << 9);
    state[3] = rotate(d2, 11);
    return result;
  }
  const next = (): number => bits() / 2 ** 32;
  const below = (end: number): number => Math.floor(next() * end);
  return {
    bits,
    next,
    below,
    chance: (probability) => next() < probability,
    // Cast: the index is inside the list.
    pick: <T>(items: readonly [T, ...T[]]) => items[below(items.length)] as T,
    pickFrom: (items) => items[below(items.length)],
    fill(bytes) {
      for (let at = 0; at < bytes.length; at += 4) {
        const word = bits();
        for (let part = 0; part < 4 && at + part < bytes.length; part += 1) bytes[at + part] = word >>> (8 * part);
      }
    },
  };
}

const rotate = (value: number, by: number): number => ((value << by) | (value >>> (32 - by))) >>> 0;

/** The finaliser of MurmurHash3. */
function mix(value: number): number {
  const first = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2_ae35);
  return (second ^ (second >>> 16)) >>> 0;
}

/** FNV-1a. */
function hashText(text: string): number {
  let hash = 0x811c_9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x0100_0193);
  return hash >>> 0;
}
