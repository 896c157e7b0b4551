/** Returns a function that reads exactly `count` bytes, or returns null if fewer remain. */
export function createReader(source: AsyncIterable<Buffer>): (count: number) => Promise<Buffer | null> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (count) => {
    const parts = [rest];
    let size = rest.length;
    while (size < count) {
      const { done, value } = await chunks.next();
      if (done) return null;
      parts.push(value);
      size += value.length;
    }
    const all = Buffer.concat(parts);
    rest = all.subarray(count);
    return all.subarray(0, count);
  };
}
