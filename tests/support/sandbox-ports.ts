import { type Sandbox, startSandbox } from '#sandbox/main.ts';
import { freePorts } from './test-server.ts';

/** The sandbox alone, for tests of the adapters. */
export type SandboxPorts = {
  /** Returns the URL of a provider by its port offset: +1 Stripe, +2 igloohome, +3 plugs, +5 mail. */
  at(offset: number): string;
  smtpUrl: string;
  ask(path: string, body?: unknown): Promise<unknown>;
  fault(provider: string, kind: string, more?: Record<string, unknown>): Promise<void>;
  close(): Promise<void>;
};

export async function openSandboxPorts(): Promise<SandboxPorts> {
  const first = await freePorts();
  const sandbox: Sandbox = await startSandbox({ port: first, webhookTarget: `http://localhost:${first + 8}` });
  const ask = async (path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(
      `${sandbox.url}${path}`,
      body === undefined
        ? {}
        : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
    );
    return response.json();
  };
  return {
    at: (offset) => `http://127.0.0.1:${first + offset}`,
    smtpUrl: `smtp://127.0.0.1:${first + 5}`,
    ask,
    fault: async (provider, kind, more = {}) => void (await ask('/api/faults', { provider, kind, ...more })),
    close: () => sandbox.close(),
  };
}
