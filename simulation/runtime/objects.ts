/** Files in memory, which outlive the servers that use them. */
export type Objects = ReturnType<typeof createObjects>;

type Stored = { readonly bytes: Uint8Array; readonly writtenAt: Date };

async function collect(bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (bytes instanceof Uint8Array) return bytes.slice();
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts);
}

/** Simulates the place where the server stores objects. */
export function createObjects() {
  const objects = new Map<string, Stored>();
  return {
    keys: (): readonly string[] => [...objects.keys()],
    async put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
      objects.set(key, { bytes: await collect(bytes), writtenAt: new Date() });
    },
    get: (key: string): Promise<Uint8Array | null> => Promise.resolve(objects.get(key)?.bytes ?? null),
    open(key: string, { from, to }: { readonly from: number; readonly to: number }) {
      const bytes = objects.get(key)?.bytes.slice(from, to + 1);
      return Promise.resolve(bytes ? new Blob([bytes]).stream() : null);
    },
    copy(from: string, to: string): Promise<boolean> {
      const stored = objects.get(from);
      if (stored) objects.set(to, { ...stored, writtenAt: new Date() });
      return Promise.resolve(stored !== undefined);
    },
    remove(key: string): Promise<void> {
      objects.delete(key);
      return Promise.resolve();
    },
    async *list(folder: string) {
      for (const [key, { writtenAt }] of objects) if (key.startsWith(`${folder}/`)) yield { key, writtenAt };
    },
  };
}
