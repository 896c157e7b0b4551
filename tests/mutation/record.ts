import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeScore, computeScore } from './sample.ts';

/** A fault that no test noticed. `note` is written by hand: why the fault changes nothing, or which test notices it now. */
export type RecordedSurvivor = { readonly place: string; readonly fault: string; readonly note?: string };
/** The latest measurement of an area with a seed. */
type RecordedSample = {
  readonly date: string;
  readonly score: string;
  readonly survivors: readonly RecordedSurvivor[];
};
/** Samples by area and seed, such as "rules, seed 1". */
export type Records = Readonly<Record<string, RecordedSample>>;

export const RECORDS = join(import.meta.dirname, 'survivors.json');
/** Smaller samples are trials, which must not replace a measurement. */
const SMALLEST = 60;

/** Replaces a sample. A survivor that was recorded before keeps its note, also after its line has moved. */
export function withSample(records: Records, name: string, sample: RecordedSample): Records {
  const toKey = ({ place, fault }: RecordedSurvivor): string => `${place.split(':')[0] ?? ''} ${fault}`;
  const notes = new Map(records[name]?.survivors.map((survivor) => [toKey(survivor), survivor.note]));
  const survivors = sample.survivors.map((survivor) => {
    const note = notes.get(toKey(survivor));
    return note === undefined ? survivor : { ...survivor, note };
  });
  const all = { ...records, [name]: { ...sample, survivors } };
  return Object.fromEntries(Object.entries(all).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes a measurement to `survivors.json`, unless its sample is too small. `tested`: the faults that were tried. */
export async function recordSample(
  name: string,
  size: number,
  tested: number,
  survivors: readonly RecordedSurvivor[],
): Promise<void> {
  if (size < SMALLEST) return;
  const records: Records = JSON.parse(await readFile(RECORDS, 'utf8').catch(() => '{}'));
  const score = describeScore(name, computeScore(tested - survivors.length, tested));
  const sample = { date: new Date().toISOString().slice(0, 10), score, survivors };
  await writeFile(RECORDS, `${JSON.stringify(withSample(records, name, sample), null, 2)}\n`);
}
