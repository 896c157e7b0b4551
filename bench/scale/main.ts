import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drop, fill, say } from './database.ts';
import { measure, type Measured } from './measure.ts';

/**
 * Measures every query of the product, sign-ins, holds and jobs on databases of different sizes. The median at the largest size of a row
 * may be 1.3 times that at the smallest. `npm run bench -- scale` measures all sizes, alternating between those of a row. With arguments it
 * runs one step, because filling the largest database takes longer than a pause between other work: `fill 10000000x3000`, `measure
 * 100000x3000 10000000x3000`, `drop …` and `report`.
 */
const ROWS = [
  ['10000x3', '100000x3'],
  ['100000x3000', '1000000x3000', '10000000x3000'],
] as const;
const FACTOR = 1.3;
/** Smaller differences are caused by the machine, not by the database. */
const NOISE_MS = 0.3;
const RESULTS = new URL('../../artefacts/scale/', import.meta.url).pathname;

async function measureAndStore(...sizes: readonly string[]): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  for (const measured of await measure(sizes)) {
    const { size, databaseMb, indexMb } = measured;
    await writeFile(join(RESULTS, `${size}.json`), JSON.stringify(measured, null, 2));
    say(`${size}: measured, database ${databaseMb} MB, indexes ${indexMb} MB`);
  }
}

/** Prints the tables as Markdown. Returns whether every query is flat. */
async function report(): Promise<boolean> {
  const files = await readdir(RESULTS).catch(() => []);
  const all = new Map<string, Measured>();
  for (const file of files) {
    const measured: Measured = JSON.parse(await readFile(join(RESULTS, file), 'utf8'));
    all.set(measured.size, measured);
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
      const times = row.map((measured) => measured.figures[name]?.ms ?? Number.NaN);
      const [smallest, largest] = [times[0] ?? Number.NaN, times.at(-1) ?? Number.NaN];
      const ratio = largest / smallest;
      const grows = ratio > FACTOR && largest - smallest > NOISE_MS;
      flat &&= !grows;
      say(
        `| ${name} | ${times.map((ms) => ms.toFixed(2)).join(' | ')} | ${ratio.toFixed(2)}${grows ? ' MISSED' : ''} | ${last.figures[name]?.plan.join('; ') ?? ''} |`,
      );
    }
    say(`| database, MB | ${row.map((measured) => measured.databaseMb).join(' | ')} | | |`);
    say(`| of it indexes, MB | ${row.map((measured) => measured.indexMb).join(' | ')} | | |`);
  }
  return flat;
}

const inTurn =
  (step: (size: string) => Promise<void>) =>
  async (...sizes: readonly string[]): Promise<void> => {
    for (const size of sizes) await step(size);
  };
const steps = { fill: inTurn(fill), measure: measureAndStore, drop: inTurn(drop) };
const [step, ...named] = process.argv.slice(2);
if (step === 'fill' || step === 'measure' || step === 'drop') await steps[step](...named);
else if (step !== 'report') {
  for (const row of ROWS) for (const run of [steps.fill, steps.measure, steps.drop]) await run(...row);
}
if (step === undefined || step === 'report') process.exitCode = (await report()) ? 0 : 1;
