import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Many simulations, one seed after the other in as many processes as there are cores. */

const MAIN = join(import.meta.dirname, 'main.ts');
/** What must have happened at least so often in a long run, or the run was too tame to show anything. */
const LEAST = 100;
const MUST_HAPPEN: readonly RegExp[] = [
  /^call\.create-payment 200/,
  /^call\.create-payment 409 slot_taken/,
  /^call\.reschedule-booking 200/,
  /^call\.extend-booking 200/,
  /^call\.cancel-booking 200/,
  /^call\.release-hold 200/,
  /^call\.join-waitlist 200/,
  /^call\.quote-series 200/,
  /^call\.verify-payment 200/,
  /^call\.generate-access-code 200/,
  /^call\.staff-refund 200/,
  /^call\.staff-cancel-booking 200/,
  /^call\.staff-move-booking 200/,
  /^call\.staff-create-booking 200/,
  /^call\.staff-close 200/,
  /^call\.staff-block-customer 200/,
  /^pay page paid/,
  /^pay page declined/,
  /^pay page leaves/,
  /^pay page delayed_paid/,
  /^network\.lost sandbox to server/,
  /^network\.twice sandbox to server/,
  /^network\.late sandbox to server/,
  /^network\.answerLost server to payments/,
  /^network\.failed server to payments/,
  /^mail\.refused/,
  /^server\.killed/,
  /^engine\.crashed/,
];

type Result = { readonly seed: number; readonly code: number; readonly output: string };

/** Simulates `seeds` seeds. Prints a line for each, and returns whether all promises held and everything happened often enough. */
export async function runLong(options: {
  readonly first: number;
  readonly seeds: number;
  readonly days: number;
  readonly atOnce: number;
  readonly print: (line: string) => void;
}): Promise<boolean> {
  const { first, seeds, days, atOnce, print } = options;
  const counts = new Map<string, number>();
  let bad = 0;
  let next = first;
  const work = async (): Promise<void> => {
    while (next < first + seeds) {
      const seed = next;
      next += 1;
      const { code, output } = await simulateApart(seed, days);
      for (const [, count, name] of output.matchAll(/^ *(\d+) {2}(.+)$/gm))
        if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count));
      if (code !== 0) {
        bad += 1;
        print(output.replaceAll(/^ *\d+ {2}.+\n/gm, '').trimEnd());
      } else print(output.trimEnd().split('\n').at(-1) ?? '');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const rare = MUST_HAPPEN.filter((name) => countMatches(counts, name) < LEAST);
  for (const name of rare) print(`happened only ${countMatches(counts, name)} times: ${name.source}`);
  print(`${seeds} seeds of ${days} days, ${bad} with violations`);
  return bad === 0 && rare.length === 0;
}

const countMatches = (counts: ReadonlyMap<string, number>, name: RegExp): number =>
  [...counts].reduce((sum, [found, count]) => sum + (name.test(found) ? count : 0), 0);

function simulateApart(seed: number, days: number): Promise<Result> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, '--seed', String(seed), '--days', String(days), '--counts'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.on('close', (code) => resolve({ seed, code: code ?? 1, output: Buffer.concat(parts).toString() }));
  });
}
