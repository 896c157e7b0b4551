import { parseSync } from 'vite';
import { expect, test } from 'vitest';
import { readSourceFiles } from './support/source-files.ts';

/**
 * Names that say nothing about a value, with better ones. A function is named after what it does, such as `getRefund` or `toBooking`, and not
 * `refundOf`.
 */
const HABITS: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  { pattern: /^one$/, instead: 'the singular of the list: booking, row, entry' },
  { pattern: /^(?:wanted|asked)$/, instead: 'requested, request, expected' },
  { pattern: /^made$/, instead: 'created, result, or what it is' },
  { pattern: /^known$/, instead: 'existing, registered, previous, cached' },
  { pattern: /^told$/, instead: 'sent, notices' },
  { pattern: /[a-z]Of$/, instead: 'a verb: getRefund, toBooking, readPayments' },
];

/** Variables that are named after a field that other programs or stored data already have. */
const EXCEPTIONS: ReadonlySet<string> = new Set(['shareOf', 'oneOf']);

type Node = { readonly type: string; readonly start: number; readonly [key: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** Returns the identifiers that a pattern declares. */
function declaredBy(pattern: unknown): Node[] {
  if (!isNode(pattern)) return [];
  if (pattern.type === 'Identifier') return [pattern];
  if (pattern.type === 'AssignmentPattern') return declaredBy(pattern['left']);
  if (pattern.type === 'RestElement') return declaredBy(pattern['argument']);
  if (pattern.type === 'ArrayPattern') return (pattern['elements'] as unknown[]).flatMap(declaredBy);
  if (pattern.type !== 'ObjectPattern') return [];
  return (pattern['properties'] as Node[]).flatMap((property) =>
    declaredBy(property.type === 'RestElement' ? property : property['value']),
  );
}

/** Calls `found` for each name that a script declares for a variable, parameter or function. */
function collectNames(value: unknown, found: (name: string, start: number) => void): void {
  if (Array.isArray(value)) return value.forEach((item) => collectNames(item, found));
  if (!isNode(value)) return;
  const declared = [
    ...(value.type === 'VariableDeclarator' ? declaredBy(value['id']) : []),
    ...(value.type.startsWith('Function') ? declaredBy(value['id']) : []),
    ...(Array.isArray(value['params']) ? value['params'].flatMap(declaredBy) : []),
  ];
  for (const { name, start } of declared) found(String(name), start);
  for (const child of Object.values(value)) if (typeof child === 'object') collectNames(child, found);
}

/** Files without such a word need not be parsed, which takes ten times as long. */
const MAY_DECLARE = /\b(?:one|wanted|asked|made|known|told)\b\s*[,)=:}\]]|\bone of\b|[a-z]Of\b/;

function findHabits(path: string, text: string): string[] {
  if (!MAY_DECLARE.test(text)) return [];
  const faults: string[] = [];
  collectNames(parseSync(path, text).program, (name, start) => {
    const habit = HABITS.find(({ pattern }) => pattern.test(name));
    if (!habit || EXCEPTIONS.has(name)) return;
    const line = text.slice(0, start).split('\n').length;
    faults.push(`${path}:${line} ${name}: ${habit.instead}`);
  });
  return faults;
}

test('variables, parameters and functions have names that say what they hold or do', () => {
  expect(readSourceFiles().flatMap(({ path, text }) => findHabits(path, text))).toEqual([]);
});

test('unclear names are found wherever they are declared', () => {
  const script = `
    const refundOf = (told: string) => told;
    for (const { made: told, rest: [wanted2, ...known2] } of []) console.log(told, wanted2, known2);
    function priceOf(left = 1) { return left; }
  `;
  expect(findHabits('script.ts', script).map((fault) => fault.split(':')[1])).toEqual([
    '2 refundOf',
    '2 told',
    '3 told',
    '4 priceOf',
  ]);
});
