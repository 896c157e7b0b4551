import { createOwner, currentOwner, type Owner, runAs } from './owner.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';

/** A program that answers requests in memory. `Response.error()` and a rejection close the connection. */
type Host = {
  readonly owner: Owner;
  readonly answer: (request: Request, address: string) => Promise<Response>;
};

/** What goes wrong on the way, as probabilities of a request. */
export type Weather = {
  /** The request does not arrive. */
  readonly lost: number;
  /** The request takes effect, but its answer does not arrive. */
  readonly answerLost: number;
  /** The answer is late. */
  readonly late: number;
  /** The request arrives twice. */
  readonly twice: number;
  /** The host answers with its own error. */
  readonly failed: number;
};
export const CALM: Weather = { lost: 0, answerLost: 0, late: 0, twice: 0, failed: 0 };

export type Network = {
  /** Adds a host, or replaces it. Null: nothing listens there. */
  listen(name: string, ports: readonly number[], host: Host | null): void;
  /** Sets the weather between two hosts. */
  setWeather(from: string, to: string, weather: Weather): void;
  /** Sends a request as `from`, and returns the answer. Rejects as `fetch` does. */
  send(from: string, request: Request, address?: string): Promise<Response>;
  /** The number of requests that wait for their answer. */
  inFlight(): number;
};

const LATE_MAX_MS = 20_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const failed = (): TypeError => new TypeError('fetch failed');

export function createNetwork(random: Random, trace: Trace, count: (name: string) => void): Network {
  const hosts = new Map<number, { name: string; host: Host | null }>();
  const weathers = new Map<string, Weather>();
  const cables = createOwner('network');
  let inFlight = 0;

  async function ask(name: string, host: Host, request: Request, address: string): Promise<Response> {
    const { owner } = host;
    const died = owner.ended.then(() => Promise.reject(failed()));
    // It may reject after the race below, when no code waits for it.
    died.catch(() => undefined);
    const answer = await Promise.race([died, runAs(owner, () => host.answer(request, address))]);
    if (answer.type === 'error') throw failed();
    // The body is read here, because nothing of the answer may arrive after its host has ended.
    const isEmpty = answer.status === 204 || answer.status === 304;
    const body = await Promise.race([died, isEmpty ? null : answer.arrayBuffer()]);
    trace.add('answer', name, request.method, new URL(request.url).pathname, answer.status, body);
    return new Response(body, { status: answer.status, headers: answer.headers });
  }

  async function travel(from: string, request: Request, address: string): Promise<Response> {
    const { port } = new URL(request.url);
    const { name, host } = hosts.get(Number(port)) ?? { name: 'no host', host: null };
    if (host === null || !host.owner.isAlive) {
      count(`network.refused ${from} to ${name}`);
      throw failed();
    }
    const weather = weathers.get(`${from} ${name}`) ?? CALM;
    const met = (kind: keyof Weather): boolean => {
      if (weather[kind] === 0 || !random.chance(weather[kind])) return false;
      count(`network.${kind} ${from} to ${name}`);
      return true;
    };
    if (met('lost')) throw failed();
    if (met('failed')) return Response.json({ error: { message: 'an outage', type: 'api_error' } }, { status: 503 });
    const repeated = met('twice') ? request.clone() : null;
    const answer = ask(name, host, request, address);
    // It may fail before any code waits for it.
    answer.catch(() => undefined);
    // No one waits for the answer to a repeated request, so its failure has no effect.
    if (repeated) {
      await answer.catch(() => undefined);
      await ask(name, host, repeated, address).catch(() => undefined);
    }
    if (met('late')) await sleep(1 + random.below(LATE_MAX_MS));
    // The outcome never arrives, so it is only awaited.
    if (met('answerLost')) {
      await answer.catch(() => undefined);
      throw failed();
    }
    return answer;
  }

  return {
    listen(name, ports, host) {
      for (const port of ports) hosts.set(port, { name, host });
    },
    setWeather: (from, to, weather) => void weathers.set(`${from} ${to}`, weather),
    inFlight: () => inFlight,
    async send(from, request, address = '127.0.0.1') {
      inFlight += 1;
      const aborted = new Promise<never>((_, reject) => {
        const stop = (): void => reject(request.signal.reason as Error);
        if (request.signal.aborted) stop();
        else request.signal.addEventListener('abort', stop, { once: true });
      });
      try {
        return await Promise.race([runAs(cables, () => travel(from, request, address)), aborted]);
      } finally {
        inFlight -= 1;
      }
    },
  };
}

/** Makes `fetch` of all programs travel through the network. A program that has ended gets no answer. */
export function ownFetch(network: Network): void {
  const fetchInMemory = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const owner = currentOwner();
    if (owner?.isAlive === false) return new Promise(() => undefined);
    const request = new Request(input, init);
    const answer = network.send(owner?.name ?? 'people', request);
    return owner === null ? answer : whileAlive(owner, answer);
  };
  Object.assign(globalThis, { fetch: fetchInMemory });
}

/** Returns the answer. If the owner has ended by then, the promise never settles. */
function whileAlive<T>(owner: Owner, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    answer.then(
      (value) => void (owner.isAlive && resolve(value)),
      (error: unknown) => void (owner.isAlive && reject(error)),
    );
  });
}
