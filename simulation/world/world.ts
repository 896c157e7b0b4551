import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSilentSandbox } from '#sandbox/main.ts';
import { type Counters, createCounters } from '../runtime/counters.ts';
import { openSimulatedEngine } from '../runtime/engine.ts';
import type { FakeClock } from '../runtime/globals.ts';
import { createMailbox } from '../runtime/mailbox.ts';
import { createNetwork, ownFetch } from '../runtime/network.ts';
import { createObjects } from '../runtime/objects.ts';
import { createOwner, ownTimers, runAs } from '../runtime/owner.ts';
import { createRandom, type Random } from '../runtime/random.ts';
import { type Machine, PORTS, type Run, SERVER_URL, startServer } from '../runtime/server.ts';
import { createTrace, type Trace } from '../runtime/trace.ts';
import { createVirtualTime, type VirtualTime } from '../runtime/virtual-time.ts';
import { findImage, readImage, writeImage } from './image.ts';
import { createPictureParts } from './pictures.ts';

/** The simulated world: the server, the systems around it, the time, and what has been noticed so far. */
export type World = {
  readonly seed: number;
  readonly clock: FakeClock;
  readonly time: VirtualTime;
  readonly trace: Trace;
  readonly counters: Counters;
  readonly machine: Machine;
  /** Decides what people do. */
  readonly random: Random;
  /** The running server; null while it is down. */
  run: Run | null;
  /** What people want to do later. */
  readonly plans: Plan[];
  /** How often the server was killed. */
  kills: number;
  /** Makes the sandbox do what is due. */
  readonly runSandbox: () => void;
  /** Calls the control API of the sandbox. Nothing goes wrong on the way. */
  readonly control: <T>(path: string, body?: unknown) => Promise<T>;
  /** Reports that a promise was broken. */
  readonly report: (promise: string, what: string) => void;
  readonly violations: readonly Violation[];
  readonly close: () => void;
};

export type Plan = { readonly at: number; readonly deed: () => Promise<void> };

export type Violation = { readonly at: Date; readonly promise: string; readonly what: string };

export type WorldOptions = {
  /** Called at once when a promise was broken. */
  readonly onViolation?: ((violation: Violation) => void) | undefined;
  readonly seed: number;
  readonly clock: FakeClock;
  readonly print: ((line: string) => void) | null;
};

/** The hosts of the sandbox, in the order of their ports. */
const PROVIDERS = ['home', 'payments', 'locks', 'plugs', 'vision', 'mail', 'identity', 'texts'] as const;
/** Settings that differ from those of `npm start`: no one listens to live changes, and the checks of idle locks cost most of the time. */
const ENV = { OWNER_EMAIL: 'owner@example.com', REALTIME: 'false', LOCK_CHECK_MINUTES: '0' } as const;

/** Opens the world before its first day: an empty studio, and a server that has just started. */
export async function openWorld({ seed, clock, print, onViolation }: WorldOptions): Promise<World> {
  ownTimers();
  const time = createVirtualTime(clock);
  const trace = createTrace(time.now, print);
  const counters = createCounters();
  const network = createNetwork(createRandom(seed, 'network'), trace, counters.count);
  ownFetch(network);
  const violations: Violation[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), 'simulation-'));
  const image = findImage();
  const machine: Machine = {
    engine: await time.untilReal(openSimulatedEngine(readImage(image))),
    network,
    mailbox: createMailbox(createRandom(seed, 'mail'), trace, counters.count),
    objects: createObjects(),
    dataDir,
    pictures: createPictureParts(),
  };
  const outside = createOwner('sandbox');
  const sandbox = runAs(outside, () => openSilentSandbox({ port: PORTS.sandbox, webhookTarget: SERVER_URL }));
  PROVIDERS.forEach((name, offset) =>
    network.listen(name, [PORTS.sandbox + offset], { owner: outside, answer: (request) => sandbox.handle(request) }),
  );
  const world: World = {
    seed,
    clock,
    time,
    trace,
    counters,
    machine,
    random: createRandom(seed, 'people'),
    run: null,
    plans: [],
    kills: 0,
    runSandbox: () => runAs(outside, () => sandbox.runDue()),
    async control<T>(path: string, body?: unknown): Promise<T> {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const request = new Request(`http://localhost:${PORTS.sandbox}/api${path}`, init);
      const answer = await runAs(outside, () => sandbox.handle(request));
      // Cast: the callers know the control API.
      return (await answer.json()) as T;
    },
    report(promise, what) {
      const violation = { at: new Date(time.now()), promise, what };
      violations.push(violation);
      onViolation?.(violation);
      trace.add('violation', promise, what);
    },
    violations,
    close: () => rmSync(dataDir, { recursive: true, force: true }),
  };
  await restart(world);
  return world;
}

/** Makes the image of the migrated database from which every world starts. */
export async function makeImage(clock: FakeClock): Promise<void> {
  const world = await openWorld({ seed: 0, clock, print: null });
  writeImage(findImage(), await world.time.untilReal(world.machine.engine.image()));
  world.close();
}

/** Starts the server. */
export async function restart(world: World): Promise<void> {
  world.run = await world.time.until(startServer(world.machine, ENV));
  world.trace.add('server', 'started');
}
