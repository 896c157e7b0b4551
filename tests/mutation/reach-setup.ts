import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import { type Calls, REACH_FOLDER } from './reach.ts';

/** Records which functions of the server a test file calls, and how often. Vitest runs this once for each file. */

// Files in one process share the engine's counters, and reading the counters resets them.
const kept: { counting?: Promise<Session> } = ((globalThis as { mutationReach?: object }).mutationReach ??= {});
const session = await (kept.counting ??= startCounting());
await takeCalls();

afterAll(async () => {
  const root = process.cwd();
  const file = expect.getState().testPath?.replace(`${root}/`, '') ?? '';
  const path = join(root, REACH_FOLDER, `${file}.json`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(await takeCalls()));
});

async function startCounting(): Promise<Session> {
  const started = new Session();
  started.connect();
  await started.post('Profiler.enable');
  await started.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return started;
}

async function takeCalls(): Promise<Calls> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls: Record<string, Record<string, number>> = {};
  for (const { url, functions } of result) {
    const path = (url.startsWith('file:') ? fileURLToPath(url) : url).replace(`${process.cwd()}/`, '');
    if (!/^(server|rules)\//.test(path)) continue;
    for (const { functionName, ranges } of functions) {
      const count = ranges[0]?.count ?? 0;
      if (functionName === '' || count === 0) continue;
      const ofFile = (calls[path] ??= {});
      ofFile[functionName] = (ofFile[functionName] ?? 0) + count;
    }
  }
  return calls;
}
