import { writeFile } from 'node:fs/promises';
import { WebSocket } from 'ws';

/** The inspector of a server that was started with `--inspect`. */
type Inspector = {
  /** Returns the bytes of the process after garbage collection. */
  memory(): Promise<{ readonly resident: number; readonly heap: number }>;
  startProfile(): Promise<void>;
  /** Writes a profile that developer tools can open. */
  stopProfile(file: string): Promise<void>;
  close(): void;
};

/** Connects to the inspector on this port. */
export async function openInspector(port: number): Promise<Inspector> {
  const [target] = JSON.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).text());
  const socket = new WebSocket(target.webSocketDebuggerUrl, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      const id = (last += 1);
      const onMessage = (data: unknown): void => {
        const answer = JSON.parse(String(data));
        if (answer.id !== id) return;
        socket.off('message', onMessage);
        resolve(Object(answer.result));
      };
      socket.on('message', onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    async memory() {
      for (let round = 0; round < 3; round += 1) await ask('HeapProfiler.collectGarbage');
      const answer = await ask('Runtime.evaluate', {
        expression: 'const { rss, heapUsed } = process.memoryUsage(); ({ rss, heapUsed })',
        returnByValue: true,
        replMode: true,
      });
      const { rss, heapUsed } = Object(Object(answer['result']).value);
      return { resident: Number(rss), heap: Number(heapUsed) };
    },
    async startProfile() {
      await ask('Profiler.enable');
      await ask('Profiler.start');
    },
    async stopProfile(file) {
      const { profile } = await ask('Profiler.stop');
      await writeFile(file, JSON.stringify(profile));
    },
    close: () => socket.close(),
  };
}
