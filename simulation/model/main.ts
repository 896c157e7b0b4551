/** `npm run model`: searches the model in one size or in all large ones, and prints states, depth and violations. */
import { parseArgs } from 'node:util';
import { createBookingModel, parseSize } from './booking-model.ts';
import { type Fault, FAULT_NAMES, FAULTS } from './faults.ts';
import { search } from './search.ts';
import { SIZES } from './sizes.ts';
import { writeStep } from './steps.ts';

const MAX_STATES = 200_000_000;

const OPTIONS = {
  size: { type: 'string', default: '2x2x2' },
  fault: { type: 'string' },
  'list-faults': { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
} as const;

try {
  process.exitCode = run(parseArgs({ options: OPTIONS }).values);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Returns the exit code: 1 if a property is broken, or if a large size has other states than were measured. */
function run(values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values']): number {
  if (values['list-faults']) {
    for (const name of FAULT_NAMES) print(`${name}: The program ${FAULTS[name]}.`);
    return 0;
  }
  if (values.long) {
    const failed = SIZES.filter(({ part, size, states }) => part === 'long' && searchSize(size, null) !== states);
    for (const { size, states } of failed) print(`${size} should have ${states} states and no violation`);
    return failed.length === 0 ? 0 : 1;
  }
  const fault = FAULT_NAMES.find((name) => name === values.fault) ?? null;
  if (values.fault !== undefined && fault === null) {
    print(`There is no fault ${values.fault}. --list-faults prints all.`);
    return 1;
  }
  return searchSize(values.size, fault) === null ? 1 : 0;
}

/** Searches and prints a size. Returns the number of its states; null if a property is broken or the search is not complete. */
function searchSize(text: string, fault: Fault | null): number | null {
  const size = parseSize(text);
  if (size === null) {
    print(`${text} is not a size: write customers, slots and payment sessions, such as 2x2x2.`);
    return null;
  }
  const began = performance.now();
  print(`size ${text}, ${fault === null ? 'without a fault' : `with the fault ${fault}`}`);
  const result = search(createBookingModel(size, fault), {
    maxStates: MAX_STATES,
    onDepth: (depth, states) => print(`depth ${depth}: ${states} states`),
  });
  const took = ((performance.now() - began) / 1000).toFixed(1);
  const { states, depth, complete, toGoal, violation } = result;
  print(`${states} states, depth ${depth}, ${complete ? 'complete' : 'not complete'}, ${took} s`);
  if (toGoal !== null) print(`from each state every hold ends within ${toGoal} steps that need no customer`);
  if (violation !== null) print(`broken after ${violation.steps.length} steps: ${violation.name}`);
  for (const step of violation?.steps ?? []) print(`  ${writeStep(step)}`);
  print(`${violation === null ? 0 : 1} violations`);
  return complete ? states : null;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
