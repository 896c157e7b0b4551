import { once } from 'node:events';

/** The connection to the inspector of a process that was started with NODE_OPTIONS=--inspect=0. */
export type Inspector = {
  /** Collects garbage, then returns the bytes that JavaScript objects and buffers of the process's main thread use. */
  usedBytes(): Promise<number>;
  close(): void;
};

type Reply = {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: { readonly result?: { readonly value?: number } };
};

/** Connects to the inspector whose address a process has printed. Throws when it has printed none. */
export async function openInspector(printed: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\/\/\S+)/.exec(printed)?.[1];
  if (address === undefined) throw new Error('the process has printed no address of an inspector');
  const socket = new WebSocket(address);
  const waiting = new Map<number, PromiseWithResolvers<Reply>>();
  let sent = 0;
  socket.addEventListener('message', ({ data }) => {
    const reply: Reply = JSON.parse(String(data));
    waiting.get(reply.id ?? 0)?.resolve(reply);
    waiting.delete(reply.id ?? 0);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector has closed'));
  });
  await once(socket, 'open');

  const send = async (method: string, params: object = {}): Promise<Reply> => {
    sent += 1;
    const answer = Promise.withResolvers<Reply>();
    waiting.set(sent, answer);
    socket.send(JSON.stringify({ id: sent, method, params }));
    const reply = await answer.promise;
    if (reply.error) throw new Error(reply.error.message);
    return reply;
  };
  return {
    async usedBytes() {
      await send('HeapProfiler.collectGarbage');
      const expression = '((used) => used.heapUsed + used.external)(process.memoryUsage())';
      const { result } = await send('Runtime.evaluate', { expression, returnByValue: true });
      const bytes = result?.result?.value;
      if (typeof bytes !== 'number') throw new Error('the process did not say how much memory it uses');
      return bytes;
    },
    close: () => socket.close(),
  };
}
