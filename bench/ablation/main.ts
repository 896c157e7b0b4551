import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { median } from '../callers/load.ts';
import { type Mechanism, MECHANISMS, occurrences } from './mechanisms.ts';
import { MORE_IS_BETTER, type Row, type Side } from './rows.ts';
import { openEmbedded, openPostgres, type Servers } from './servers.ts';

/**
 * `npm run bench -- ablation [PART OF A NAME …]`: removes each mechanism from a copy of the project and compares the copy's server with the
 * whole one, one after the other in each round. Prints the loss without the mechanism as a share of the whole server's figure: the median of the rounds, with the
 * lowest and the highest. Above zero the mechanism helps. All mechanisms take about an hour and a half. The result is only valid on a quiet
 * machine.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
const ROOT = join(import.meta.dirname, '..', '..');
const LEFT_OUT = ['node_modules', '.git', 'artefacts', 'data'];
/** The least loss that justifies a mechanism. */
const NOTABLE = 0.1;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Copies the project without a mechanism and returns the folder. */
async function copyWithout(mechanism: Mechanism): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'bench-ablation-'));
  await cp(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(ROOT, path)) });
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const path = join(copy, mechanism.file);
  const text = await readFile(path, 'utf8');
  if (occurrences(text, mechanism) !== 1) throw new Error(`“${mechanism.name}” no longer fits ${mechanism.file}`);
  await writeFile(
    path,
    text.replace(mechanism.find, () => mechanism.replace),
  );
  return copy;
}

/** Returns the share of a figure that is lost without a mechanism. Below zero the server is better without it. */
function getLoss(name: string, whole: number, without: number): number {
  return MORE_IS_BETTER.has(name) ? 1 - without / whole : without / whole - 1;
}

const share = (loss: number): string => `${loss < 0 ? '−' : '+'}${Math.abs(loss * 100).toFixed(0)} %`;

/** Measures a row on both servers, several times one after the other, and prints a line for each of its figures. */
async function compareRow(row: Row, whole: Side, without: Side): Promise<void> {
  const losses = new Map<string, number[]>();
  const wholes = new Map<string, number[]>();
  // The first round does not count: it lets Node compile.
  for (let round = -1; round < ROUNDS; round += 1) {
    const sides = round % 2 === 0 ? [whole, without] : [without, whole];
    const figures = new Map<Side, Readonly<Record<string, number>>>();
    for (const side of sides) figures.set(side, await row.measure(side));
    if (round < 0) continue;
    for (const [name, value] of Object.entries(figures.get(whole) ?? {})) {
      const other = figures.get(without)?.[name] ?? Number.NaN;
      wholes.set(name, [...(wholes.get(name) ?? []), value]);
      losses.set(name, [...(losses.get(name) ?? []), getLoss(name, value, other)]);
    }
  }
  for (const [name, values] of losses) {
    const middle = median(values);
    const shown = `${share(middle)} (${share(Math.min(...values))} to ${share(Math.max(...values))})`;
    const figure = median(wholes.get(name) ?? []).toFixed(0);
    say(`  ${row.name.padEnd(38)}${name.padEnd(24)}${figure.padStart(8)}  ${shown}${middle >= NOTABLE ? ' *' : ''}`);
  }
}

async function measureOn(title: string, servers: Servers, copy: string): Promise<void> {
  say(` ${title}`);
  const [whole, without] = [await servers.start(ROOT), await servers.start(copy)];
  try {
    for (const row of servers.rows) await compareRow(row, whole.side, without.side);
  } finally {
    await Promise.all([whole.stop(), without.stop()]);
  }
}

const words = process.argv.slice(2);
const chosen = MECHANISMS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`Name one of: ${MECHANISMS.map(({ name }) => name).join(', ')}.`);
const [postgres, embedded] = [await openPostgres(), await openEmbedded()];
try {
  for (const mechanism of chosen) {
    say(`\nwithout “${mechanism.name}”`);
    const copy = await copyWithout(mechanism);
    try {
      await measureOn('PostgreSQL', postgres, copy);
      await measureOn('embedded', embedded, copy);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  }
} finally {
  await postgres.close();
  await embedded.close();
}
