import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { FAULTS } from './faults/all-faults.ts';
import { simulateFault } from './faults/simulate-fault.ts';
import { runLong } from './long-run.ts';
import { ownGlobals, real } from './runtime/globals.ts';
import { createRandom } from './runtime/random.ts';
import { findImage } from './world/image.ts';

/**
 * `npm run simulate -- --seed N [--days D] [--trace] [--counts]` simulates D days of a studio. The last line is
 * `seed N: D days, trace HASH, V violations`; the exit code is 1 if there are violations. `--stop` ends with the first day that has
 * a violation. `--list-faults` lists faults of the program, one
 * per line, and `--fault NAME` simulates with one of them. `--long [--seeds S]` simulates many seeds.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '14' },
    trace: { type: 'boolean', default: false },
    stop: { type: 'boolean', default: false },
    counts: { type: 'boolean', default: false },
    'list-faults': { type: 'boolean', default: false },
    fault: { type: 'string' },
    long: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '34' },
    'make-image': { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const [seed, days] = [Number(values.seed), Number(values.days)];
const DAY = 86_400_000;
/** The days on which a simulation may begin: two clock changes of each kind and a leap day follow within them. */
const FIRST = Date.parse('2027-03-01T18:00:00Z');
const FIRST_DAYS = 700;
/** With 34 seeds more than 2,000 days. */
const LONG_DAYS = 60;

async function run(): Promise<number> {
  if (values['make-image']) {
    const clock = ownGlobals(0, new Date('2027-01-01T00:00:00Z'));
    const { makeImage } = await import('./world/world.ts');
    await makeImage(clock);
    return 0;
  }
  if (values['list-faults']) {
    for (const { name } of FAULTS) print(name);
    return 0;
  }
  if (values.fault !== undefined)
    return simulateFault(values.fault, [
      '--seed',
      values.seed,
      '--days',
      values.days,
      '--stop',
      ...(values.trace ? ['--trace'] : []),
    ]);
  if (!existsSync(findImage()))
    spawnSync(process.execPath, [import.meta.filename, '--make-image'], { stdio: 'inherit' });
  if (values.long) {
    const seeds = { first: seed, seeds: Number(values.seeds), days: LONG_DAYS };
    return (await runLong({ ...seeds, atOnce: availableParallelism(), print })) ? 0 : 1;
  }
  const began = real.now();
  const clock = ownGlobals(seed, new Date(FIRST + createRandom(seed, 'start').below(FIRST_DAYS) * DAY));
  const { simulate } = await import('./simulate.ts');
  const simulation = await simulate({
    seed,
    days,
    clock,
    print: values.trace ? print : null,
    onViolation: ({ at, promise, what }) => print(`${at.toISOString()} ${promise}: ${what}`),
    stopsEarly: values.stop,
  });
  const { hash, violations, counts } = simulation;
  if (values.counts) for (const [name, count] of counts) print(`${String(count).padStart(7)}  ${name}`);
  const { user, system } = process.cpuUsage();
  const perDay = (seconds: number): string => (seconds / simulation.days).toFixed(2);
  print(
    `${perDay((real.now() - began) / 1_000)} s per day, of which ${perDay((user + system) / 1e6)} s of processor time`,
  );
  print(`seed ${seed}: ${simulation.days} days, trace ${hash}, ${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

real.exit(await run());
