import { type App, compose, type Overrides } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import type { SimulatedEngine } from './engine.ts';
import type { Mailbox } from './mailbox.ts';
import type { Network } from './network.ts';
import type { Objects } from './objects.ts';
import { createOwner, type Owner, runAs } from './owner.ts';

/** The ports of the server and of the sandbox's home page. Nothing listens on them. */
export const PORTS = { server: 3000, sandbox: 4010 } as const;
export const SERVER_URL = `http://localhost:${PORTS.server}`;

/** One run of the server, from its start to its end. */
export type Run = {
  readonly owner: Owner;
  readonly app: App;
  /** The number of messages to the database and of mails since the start. */
  effects(): number;
  /** Kills the server after `effects` effects, before the next one. */
  killAfter(effects: number): void;
  /** Kills the server now. Nothing that it is doing continues. */
  kill(): void;
};

export type Machine = {
  readonly engine: SimulatedEngine;
  readonly network: Network;
  readonly mailbox: Mailbox;
  readonly objects: Objects;
  readonly dataDir: string;
  readonly pictures: Pick<Overrides, 'pictures' | 'idReader'>;
};

/** Starts a server as production does, on this machine. */
export async function startServer(machine: Machine, env: Readonly<Record<string, string>>): Promise<Run> {
  const { engine, network, mailbox, objects, pictures } = machine;
  const owner = createOwner('server');
  let effects = 0;
  let killAt: number | null = null;
  const kill = (): void => {
    owner.end();
    network.listen('server', [PORTS.server], null);
  };
  const onEffect = (): void => {
    effects += 1;
    if (killAt !== null && effects >= killAt) kill();
  };
  const config = readConfig({
    PORT: String(PORTS.server),
    SANDBOX_PORT: String(PORTS.sandbox),
    DATA_DIR: machine.dataDir,
    APP_SECRET: 'the secret of every simulated server',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const app = await runAs(owner, () =>
    compose(config, {
      memory: new Blob([]),
      createWorker: engine.connect(owner, onEffect),
      fetch: (input, init) => fetch(input, init),
      mailTransport: mailbox.connect(owner, onEffect),
      store: objects,
      ...pictures,
    }),
  );
  network.listen('server', [PORTS.server], {
    owner,
    answer: async (request, address) =>
      app.http.fetch(request, {
        incoming: { socket: { remoteAddress: address, remotePort: 1, remoteFamily: 'IPv4' } },
      }),
  });
  return {
    owner,
    app,
    effects: () => effects,
    killAfter: (count) => void (killAt = effects + count),
    kill,
  };
}
