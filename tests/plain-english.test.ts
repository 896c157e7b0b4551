import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { type Passage, readProse } from './support/files/prose.ts';

/**
 * Keeps the most frequent unidiomatic phrases out of comments, pages and texts that people see. Each phrase is precise enough that what it
 * finds should be rewritten. Titles and data of tests are not checked.
 */

const ROOT = join(import.meta.dirname, '..');
/** The path of this file, whose examples are unidiomatic. */
const SELF = 'tests/plain-english.test.ts';

type Phrase = {
  /** A space matches any white space, also a line break. */
  readonly pattern: RegExp;
  readonly instead: string;
  /** An example that the pattern finds, and one that no pattern finds. */
  readonly bad: string;
  readonly good: string;
};

const PHRASES: readonly Phrase[] = [
  {
    pattern: /\bbeside\b/i,
    instead: '"compared with", "next to", "while" or "in addition to"',
    bad: 'Measured beside a bare route.',
    good: 'Measured in comparison with a bare route.',
  },
  {
    pattern: /\b(?:some|every|no)body\b/i,
    instead: '"someone", "all callers", "no one", or the passive: "No email is sent."',
    bad: 'Nobody is mailed.',
    good: 'No email is sent.',
  },
  {
    pattern: /\bwho(?:so)?ever\b/i,
    instead: '"anyone who"',
    bad: 'Ask whoever sent the link.',
    good: 'Ask the person who sent the link.',
  },
  {
    // Not "of its own bookings": the phrase ends here.
    pattern:
      /\bof (?:its|their|his|her|our|your) own(?= ?(?:[^\w\s'’`-]|$)| (?:and|as|at|because|behind|by|for|from|has|have|if|in|is|on|only|or|so|that|to|when|where|which|while|with|without)\b)/i,
    instead: '"its own …" or "a separate …"',
    bad: 'A backup has a worker of its own.',
    good: 'A backup has its own worker. Customers read those of their own bookings.',
  },
  {
    pattern: /\bby (?:itself|themselves)\b/i,
    instead: '"automatically" or "separately"',
    bad: 'The lease ends by itself.',
    good: 'The lease expires automatically.',
  },
  {
    pattern: /\bas before\b(?! (?:every|each|any|a|the)\b)/i,
    instead: 'what stays unchanged',
    bad: 'The rest is as before.',
    good: 'The rest does not change. Make a backup, as before every upgrade.',
  },
  {
    pattern: /\bthe same again\b/i,
    instead: '"a repeated call" or "Idempotent."',
    bad: 'The same again changes nothing.',
    good: 'A repeated call changes nothing.',
  },
  {
    pattern: /\bso many\b(?! \w+ that\b)/i,
    instead: '"this many", or name the number',
    bad: 'After so many statements a caller is trusted.',
    good: 'The number of statements after which a caller is trusted.',
  },
  {
    pattern: /\bthat counted\b/i,
    instead: '"that was applied" or "that was in force"',
    bad: 'Returns the preferences that counted.',
    good: 'Returns the preferences that were applied.',
  },
  {
    pattern: /\bfor good\b(?! reasons?\b)/i,
    instead: '"permanently" or "finally"',
    bad: 'The address was refused for good.',
    good: 'The address was refused permanently.',
  },
  {
    // It can mean a prohibition or a possibility.
    pattern: /\bmay not\b/i,
    instead: '"must not", "cannot" or "might not"',
    bad: 'Settings may not import rules.',
    good: 'Settings must not import rules.',
  },
  {
    pattern: /\b(?:is|are|was|were) to (?:be|have)\b|\b(?:nothing|something|what|that|which|who) (?:is|are) to \w/i,
    instead: '"will", "must", or the noun: "the booking’s new hours"',
    bad: 'Hours that the booking is to have.',
    good: 'The booking’s new hours.',
  },
  {
    pattern: /\bin turns\b/i,
    instead: '"alternately" or "take turns"',
    bad: 'The servers run in turns.',
    good: 'The servers run alternately.',
  },
  {
    pattern: /\b(?:lately|mostly)\b|\bfor long\b(?! \w)/i,
    instead: 'a number, such as "over the last 100 statements"',
    bad: 'How long its statements took lately.',
    good: 'How long its last 100 statements took. Guests use few connections for long statements.',
  },
  {
    pattern: /\bwhat \w+ing\b[^.;:]* (?:works|goes) (?:with|by)\b/i,
    instead: '"Dependencies of …"',
    bad: 'What switching the lights with the sessions works with.',
    good: 'Dependencies of the session-lights task.',
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer\b|more\b|better\b)[a-z]/i,
    instead: '"is not a …", or an adjective: "a malformed token"',
    bad: 'Refuses a text that is no token.',
    good: 'Refuses a malformed token. There is no token that is no longer valid.',
  },
  {
    pattern: /^\s*(?:Says|Tells|Knows|Asks (?:whether|if|how|which|the (?:server|database|provider|process(?:es)?)))\b/,
    instead: '"Returns", "Reports", "Checks" or "Requests"',
    bad: 'Says whether the hours are taken.',
    good: 'Returns whether the hours are taken. Asks the customer for another photo.',
  },
  {
    // Code in backticks is replaced by this word.
    pattern: /`code` (?:says|tells|knows)\b/i,
    instead: '"shows", "lists", "decides", or the noun: "`total` is the …"',
    bad: 'The page `status.ts` says how many wait.',
    good: 'The page `status.ts` shows how many wait.',
  },
  {
    pattern: /\b(?:null|undefined|empty|true|false|missing): not \w/i,
    instead: 'a whole sentence',
    bad: 'The reason, or null: not refused.',
    good: 'The reason. Null if the request was accepted.',
  },
  {
    pattern: /\b(?:has|have|had)(?:n’t|n't| not)? got\b/i,
    instead: '"has", "have" or "received"',
    bad: 'Changes that a client has not got.',
    good: 'Changes that a client has not received.',
  },
  {
    pattern: /\bother one\b|\bother ones\b|\ban own\b|\bown ones?\b/i,
    instead: '"the other", "others", or whose it is: "the caller’s booking"',
    bad: 'Reads an own booking.',
    good: 'Reads a booking of the caller.',
  },
  {
    pattern: /(?<!\blights )\b(?:go|goes|went) on\b(?! \d)/i,
    instead: '"continue"',
    bad: 'Jobs go on when the server starts.',
    good: 'Jobs continue when the server starts. The lights go on.',
  },
  {
    pattern: /\b(?:is|are) there(?: again)?(?= ?(?:[.,;:)]|$))/i,
    instead: '"exists", "is available", "runs again"',
    bad: 'The job waits until a server is there again.',
    good: 'The job waits until a server runs again.',
  },
  {
    pattern: /\banew\b|\bbesides(?= ?(?:[.,;:)]|$))|\bas good as (?:no|none|nothing)\b/i,
    instead: '"again", "also" or "practically"',
    bad: 'The texts are rendered anew.',
    good: 'The texts are rendered again.',
  },
  {
    pattern: /(?:^\s*|[.;:] )of (?:two|several|all|many)\b/i,
    instead: 'a sentence with "if": "If several servers start at once, the first one wins."',
    bad: 'Of several servers the first one’s.',
    good: 'If several servers start at once, the first one wins.',
  },
];

/** Texts that stay, each with the reason. A text that no file has any more fails the test. */
const EXEMPT: Readonly<Record<string, string>> = {
  'plan it anew each time': 'a landed migration never changes',
  'share of the payment as a payment of its own': 'a landed migration never changes',
  "'nobody' (the list is empty)": 'a value that the function returns',
  'It may not be used again. To use a PaymentMethod': 'the words of the payment provider',
};

/** Written by commands: from texts that are checked where they are, from the specification, and from titles of tests. */
const GENERATED = [
  'docs/functions.md',
  'docs/metrics.md',
  'docs/spec-coverage.md',
  'database/tables.sql',
  'database/types.ts',
];
/** Folders in the root without files of the repository. */
const NOT_OURS = new Set(['node_modules', '.git', 'dist', 'data', 'artefacts']);
const NO_PROSE = /\.(?:avif|ico|jpg|json|mp4|png|svg|txt|webm|webmanifest|webp|woff2|zst)$|LICENSE$/;

const toPattern = ({ pattern }: Phrase): RegExp =>
  new RegExp(pattern.source.replaceAll(' ?', String.raw`\s*`).replaceAll(' ', String.raw`\s+`), `${pattern.flags}g`);
const patterns = PHRASES.map((phrase) => ({ ...phrase, pattern: toPattern(phrase) }));

const isTest = (path: string): boolean => /^(?:tests|bench)\/|\.test\.tsx?$/.test(path);

const isChecked = (path: string, { kind }: Passage): boolean => kind !== 'text' || !isTest(path);

/** Returns a sentence for each phrase that a passage should not have, with its file and line. */
function faultsIn(path: string, { line, text }: Passage): string[] {
  const exempt = Object.keys(EXEMPT).reduce((rest, quote) => rest.replace(toQuote(quote), blank), text);
  return patterns.flatMap(({ pattern, instead }) =>
    [...exempt.matchAll(pattern)].map((match) => {
      const [words] = match;
      const before = exempt.slice(0, match.index + words.search(/\S/)).split('\n').length - 1;
      return `${path}:${line + before}: "${words.trim().replaceAll(/\s+/g, ' ')}": write ${instead}`;
    }),
  );
}
const blank = (quote: string): string => quote.replaceAll(/[^\n]/g, ' ');

/** Matches the quote in a text that may break its lines elsewhere. */
function toQuote(quote: string): RegExp {
  const words = quote.split(' ').map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`));
  return new RegExp(words.join(String.raw`\s+`));
}

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (NOT_OURS.has(path)) return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

const files = listFiles('').filter((path) => !NO_PROSE.test(path) && !GENERATED.includes(path) && path !== SELF);
const passages = files.flatMap((path) =>
  readProse(path, readFileSync(join(ROOT, path), 'utf8')).map((passage) => ({ path, passage })),
);

test('comments, pages and texts have none of these phrases', () => {
  expect(passages.length).toBeGreaterThan(20_000);
  const checked = passages.filter(({ path, passage }) => isChecked(path, passage));
  expect(checked.flatMap(({ path, passage }) => faultsIn(path, passage))).toEqual([]);
});

test('every exempt text is still in a file', () => {
  const isQuoted = (quote: string) => passages.some(({ passage }) => toQuote(quote).test(passage.text));
  expect(Object.keys(EXEMPT).filter((quote) => !isQuoted(quote))).toEqual([]);
});

test.each(PHRASES)('the phrase in "$bad" is found, and none in "$good"', (phrase) => {
  const find = (text: string) => readProse('a.md', text).flatMap((passage) => faultsIn('a.md', passage));
  expect(find(phrase.bad)).toContainEqual(expect.stringContaining(`write ${phrase.instead}`));
  expect(find(phrase.good)).toEqual([]);
});

const FAULT = ':2: "beside": write ';
test.each([
  ['a TypeScript comment', 'a.ts', '/** It is\n * beside it. */\nexport {};'],
  ['a comment over several lines', 'a.ts', '// What runs\n// beside it.\nexport {};'],
  ['a string', 'web/a.ts', "export const a =\n  'It runs beside it.';"],
  ['a template', 'web/a.ts', 'export const a = `It\nruns beside ${1}`;'],
  ['a text of a page', 'web/a.tsx', 'export const a = (\n  <p>It runs beside it.</p>);'],
  ['a SQL comment', 'a.sql', "select '--';\n-- It runs beside it."],
  ['a comment inside a function', 'a.sql', 'create function a() returns void as $$\n  -- It runs beside it.\n$$;'],
  ['a SQL string', 'a.sql', "raise exception\n  'it runs beside it';"],
  ['a page', 'a.md', '# A page\n- It runs beside `code`.'],
  ['a style sheet', 'a.css', 'a {}\n/* It runs beside it. */'],
  ['a setting', 'deploy/a.yaml', 'a: 1\n# It runs beside it.'],
  ['a comment of JSON', 'a.jsonc', '{\n// It runs beside it.\n}'],
])('a phrase is found in %s', (_, path, source) => {
  const faults = readProse(path, source).flatMap((passage) =>
    isChecked(path, passage) ? faultsIn(path, passage) : [],
  );
  expect(faults).toEqual([expect.stringContaining(FAULT)]);
});

test.each([
  ['code', 'a.ts', 'export const beside = 1;'],
  ['code in backticks', 'a.ts', '// Calls `beside()`.\nexport {};'],
  ['a name', 'web/a.ts', "export const a = 'beside';"],
  ['a title of a test', 'a.test.ts', "test('it runs beside it', () => {});"],
  ['a string of SQL with comment signs', 'a.sql', "select '-- beside';"],
  ['a block of code of a page', 'a.md', '```sh\n# beside\n```'],
  ['a title of a test that a page cites', 'a.md', '| tests/a.test.ts › it runs beside it |'],
  ['an anchor of an address', 'deploy/a.yaml', 'a: http://a#beside'],
])('no phrase is found in %s', (_, path, source) => {
  expect(
    readProse(path, source).flatMap((passage) => (isChecked(path, passage) ? faultsIn(path, passage) : [])),
  ).toEqual([]);
});
