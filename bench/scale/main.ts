import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drop, fill, say } from './database.ts';
import { measure, type Measured } from './measure.ts';

/**
 * Measures every query of the product, sign-ins, holds and jobs on databases of different sizes: the median at the largest may be 1.3 times that at the smallest of
 * its row. `npm run bench -- scale` measures all sizes; with words such as `fill 10000000x3000`, `measure …`, `drop …` and `report` it does
 * one step, because filling the largest takes longer than a pause between other work.
 */
const SIZES = ['10000x3', '100000x3', '100000x3000', '1000000x3000', '10000000x3000'] as const;
const ROWS = [SIZES.slice(0, 2), SIZES.slice(2)];
const FACTOR = 1.3;
/** A difference smaller than this is the machine's, not the database's. */
const NOISE_MS = 0.3;
const RESULTS = new URL('../../artefacts/scale/', import.meta.url).pathname;

async function measureAndStore(size: string): Promise<void> {
  const measured = await measure(size);
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${size}.json`), JSON.stringify(measured, null, 2));
  say(`${size}: measured, database ${measured.databaseMb} MB, indexes ${measured.indexMb} MB`);
}

/** Prints the tables as Markdown; returns whether every query is flat. */
async function report(): Promise<boolean> {
  const files = await readdir(RESULTS).catch(() => []);
  const all = new Map<string, Measured>();
  for (const file of files) {
    const one: Measured = JSON.parse(await readFile(join(RESULTS, file), 'utf8'));
    all.set(one.size, one);
  }
  let flat = true;
  for (const sizes of ROWS) {
    const row = sizes.flatMap((size) => all.get(size) ?? []);
    const [first] = row;
    const last = row.at(-1);
    if (!first || !last) continue;
    say(`| p50 in ms | ${row.map(({ size }) => size).join(' | ')} | ratio | scans |`);
    say(`|---|${row.map(() => '---|').join('')}---|---|`);
    for (const name of Object.keys(last.figures)) {
      const times = row.map((one) => one.figures[name]?.ms ?? Number.NaN);
      const [smallest, largest] = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN];
      const ratio = largest / smallest;
      const grows = ratio > FACTOR && largest - smallest > NOISE_MS;
      flat &&= !grows;
      say(
        `| ${name} | ${times.map((ms) => ms.toFixed(2)).join(' | ')} | ${ratio.toFixed(2)}${grows ? ' MISSED' : ''} | ${last.figures[name]?.plan.join('; ') ?? ''} |`,
      );
    }
    say(`| database, MB | ${row.map((one) => one.databaseMb).join(' | ')} | | |`);
    say(`| of it indexes, MB | ${row.map((one) => one.indexMb).join(' | ')} | | |`);
  }
  return flat;
}

const steps = { fill, measure: measureAndStore, drop };
const [step, ...named] = process.argv.slice(2);
if (step === 'fill' || step === 'measure' || step === 'drop') for (const size of named) await steps[step](size);
else if (step !== 'report') for (const size of SIZES) for (const one of [fill, measureAndStore, drop]) await one(size);
if (step === undefined || step === 'report') process.exitCode = (await report()) ? 0 : 1;
