import { startOwnPostgres } from '#tests/support/postgres.ts';
import { freePorts } from '#tests/support/test-server.ts';
import { measureBroadcasts } from './broadcasts.ts';
import { measureChanges, measureEmbeddedChanges } from './changes.ts';
import { measureIdle, measureJoins } from './connections.ts';
import { openInspector } from './inspector.ts';
import { type Bench, openBench, say } from './setup.ts';
import { measureWriters } from './writers.ts';

/**
 * Compares the realtime API with its limits in one run. Arguments select some parts. `BENCH_PROFILE` names a folder for processor profiles
 * of the server.
 */
const PARTS = ['writers', 'broadcasts', 'changes', 'joins', 'idle', 'embedded'] as const;
type Part = (typeof PARTS)[number];

const words = process.argv.slice(2);
const selected: readonly string[] = words.length > 0 ? words : PARTS;
const profiles = process.env['BENCH_PROFILE'];

const ON_SERVER: readonly (readonly [Part, (bench: Bench) => Promise<void>])[] = [
  ['broadcasts', measureBroadcasts],
  ['changes', measureChanges],
  ['joins', measureJoins],
];
const INSPECTOR_PORT = 9_339;
const INSPECTED = { NODE_OPTIONS: `--inspect=127.0.0.1:${INSPECTOR_PORT}` };

async function main(): Promise<void> {
  if (selected.includes('writers')) await onDurablePostgres(() => onServer([['writers', measureWriters]]));
  const parts = ON_SERVER.filter(([name]) => selected.includes(name));
  if (parts.length > 0) await onServer(parts);
  if (selected.includes('idle')) {
    const bench = await openBench(INSPECTED);
    try {
      await measureIdle(bench, INSPECTOR_PORT);
    } finally {
      await bench.close();
    }
  }
  if (selected.includes('embedded')) await measureEmbeddedChanges();
}

async function onServer(parts: typeof ON_SERVER): Promise<void> {
  const bench = await openBench(profiles === undefined ? {} : INSPECTED);
  try {
    for (const [name, measure] of parts) await profiled(name, () => measure(bench));
  } finally {
    await bench.close();
  }
}

/** Runs `work` on a PostgreSQL that waits for the disk, which that of the bench does not. */
async function onDurablePostgres(work: () => Promise<void>): Promise<void> {
  const postgres = startOwnPostgres(await freePorts());
  const before = process.env['TEST_POSTGRES_URL'];
  process.env['TEST_POSTGRES_URL'] = postgres.url;
  try {
    await work();
  } finally {
    process.env['TEST_POSTGRES_URL'] = before;
    postgres.remove();
  }
}

async function profiled(name: string, measure: () => Promise<void>): Promise<void> {
  if (profiles === undefined) return measure();
  const inspector = await openInspector(INSPECTOR_PORT);
  await inspector.startProfile();
  await measure();
  await inspector.stopProfile(`${profiles}/${name}.cpuprofile`);
  inspector.close();
  say(`wrote ${profiles}/${name}.cpuprofile`);
}

await main();
