import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { constants } from '#rules/venue.ts';
import { CATALOGUE } from './faults/catalogue.ts';

/** Compares claims of the pages with the code: commands, settings, lists, figures and copied examples. */

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Returns a page on one line, so that a claim may be wrapped. */
const readLine = (path: string): string => read(path).replaceAll(/\s+/g, ' ');
const foldersIn = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
const matches = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
];

/** Pages that a generator writes from the code. */
const GENERATED = ['functions.md', 'metrics.md', 'spec-coverage.md', 'data-model.md'];
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !GENERATED.includes(name))
    .map((name) => `docs/${name}`),
];

const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts;

test('every command of npm that a page names exists', () => {
  const unknown = pages.flatMap((page) =>
    matches(read(page), /npm run (?:-s )?([a-z][\w:-]*)/g)
      .filter((name) => scripts[name] === undefined)
      .map((name) => `${page}: npm run ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('running.md has a row for each command of an operator', () => {
  const commands = Object.keys(scripts).filter((name) => scripts[name]?.startsWith('node bin/command.js'));
  expect(commands.length).toBeGreaterThan(6);
  const rows = matches(read('docs/running.md'), /^\| `npm run (?:-s )?([\w:-]+)/gm);
  expect(commands.filter((name) => !rows.includes(name))).toEqual([]);
});

const settings = matches(read('.env.example'), /^# ([A-Z][A-Z0-9_]+)=/gm);
/** Variables and codes that are not settings of the server. */
const OTHERS =
  /^(?:ANON_KEY|SERVICE_ROLE_KEY|API_URL|TOKEN_OF_STAFF|SITE_ADDRESS|APP_URL|SANDBOX_STATE|CHROMIUM_PATH|DATABASE_NAME|AUTH_NAME_ISSUER|NAME_FILE)$/;

test('every setting that a page names is in .env.example', () => {
  const isSetting = (name: string): boolean =>
    OTHERS.test(name) ||
    [name, name.replace(/_FILE$/, '')].some((candidate) => settings.includes(candidate)) ||
    (name.endsWith('_') && settings.some((setting) => setting.startsWith(name)));
  const unknown = pages.flatMap((page) =>
    matches(read(page), /`[^`\n]*?\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+_?)/g)
      .filter((name) => !isSetting(name))
      .map((name) => `${page}: ${name}`),
  );
  // The page shows what happens to this one.
  expect(unknown).toEqual(['docs/running.md: STRIPE_WEBHOOK_SECRETT']);
});

test('every default that a page gives in brackets after a setting is that of .env.example', () => {
  const given = pages.flatMap((page) =>
    [...read(page).matchAll(/`([A-Z][A-Z0-9_]+)` \(`?([\w./]+)`?\)/g)].map(([, name = '', value = '']) => ({
      page,
      name,
      value,
    })),
  );
  const wrong = given.filter(
    ({ name, value }) => settings.includes(name) && !new RegExp(`^# ${name}=${value}$`, 'm').test(read('.env.example')),
  );
  expect(given.length).toBeGreaterThan(3);
  expect(wrong).toEqual([]);
});

test('CONTRIBUTING.md lists every folder of tests/', () => {
  const rows = matches(read('CONTRIBUTING.md'), /^\| (`.*?`) \| /gm).flatMap((cell) => matches(cell, /`([\w-]+)`/g));
  expect(foldersIn('tests').filter((name) => !rows.includes(name))).toEqual([]);
});

test('architecture.md lists every directory of the project and of the server', () => {
  const page = read('docs/architecture.md');
  const first = matches(page, /^\| (`.*?`) \| /gm).flatMap((cell) => matches(cell, /`([\w-]+)\/`/g));
  const notCode = ['docs', 'node_modules', 'dist', 'data', 'artefacts'];
  const top = foldersIn('.').filter((name) => !name.startsWith('.') && !notCode.includes(name));
  expect([...top, ...foldersIn('server')].filter((name) => !first.includes(name))).toEqual([]);
});

/** Returns calls in one spelling: `GET /payments/:id`. */
const toCalls = (calls: readonly string[]): string[] =>
  [...new Set(calls.map((call) => call.replace(/\{[^}]*\}/g, ':id').replace(/\?.*$/, '')))].toSorted();

test('sandbox.md lists exactly the calls of the control API', () => {
  const sources = readdirSync(join(ROOT, 'sandbox'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => read(`sandbox/${name}`));
  const routes = sources
    .filter((text) => /\b(?:control|Control)\b/.test(text))
    .flatMap((text) => [...text.matchAll(/\b(?:api|control)\.(get|post|delete)\('(\/[\w/:-]+)'/g)])
    .map(([, method = '', path = '']) => `${method.toUpperCase()} ${path.replaceAll(/:\w+/g, ':id')}`);
  const named = matches(read('docs/sandbox.md'), /`((?:GET|POST|DELETE) \/api\/[^\s`]+)/g);
  expect(routes.length).toBeGreaterThan(30);
  expect(toCalls(named.map((call) => call.replace('/api/', '/')))).toEqual(toCalls(routes));
});

test('running.md lists exactly the developer pages', () => {
  const hidden = matches(read('web/routes.tsx'), /\{ path: '(\/[\w-]+)', [^}]*\.\.\.hidden \}/g);
  const [, list = ''] = /Developer pages \(([^)]*)\)/.exec(readLine('docs/running.md')) ?? [];
  expect(hidden.length).toBeGreaterThan(5);
  expect(matches(list, /`([^`]+)`/g).toSorted()).toEqual(hidden.toSorted());
});

test('requirements.md gives each section of the dashboard to its permission', () => {
  const sections = [...read('web/pages/admin/sections-part.tsx').matchAll(/label: '([^']+)',\s+for: '(\w+)'/g)].map(
    ([, label = '', permission = '']) => ({ label: label.toLowerCase(), permission }),
  );
  const opens = new Map(
    [...read('docs/requirements.md').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, name, cell]) => [name, cell]),
  );
  expect(sections.length).toBeGreaterThan(12);
  const missing = sections.filter(({ label, permission }) => {
    const holder = permission === 'audit_log' ? 'owner' : permission;
    return !opens
      .get(holder)
      ?.toLowerCase()
      .includes(label.replace(/ logs$| codes$|s$/, ''));
  });
  expect(missing).toEqual([]);
});

test('a guarantee has the mark of long tests only when its test is one', () => {
  const marked = [...read('docs/guarantees.md').matchAll(/^\| .* † \| (.*) \|$/gm)];
  expect(marked.length).toBeGreaterThan(4);
  const files = marked.flatMap(([, cell = '']) => matches(cell, /`([^`]+)`/g));
  const wrong = files.filter((file) => !/TEST_LONG/.test(read(file)) || !/runIf\(/.test(read(file)));
  expect(wrong).toEqual([]);
});

test('every metric and benchmark that a page names exists', () => {
  const names = matches(read('docs/running.md'), /`([a-z]+(?:_[a-z]+)*_(?:total|seconds|waiting))`/g);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !read('docs/metrics.md').includes(name))).toEqual([]);
  const benches = pages.flatMap((page) => matches(read(page), /npm run bench -- (\w+)/g));
  expect(
    benches.filter((name) => !existsSync(join(ROOT, 'bench', `${name}.ts`)) && !existsSync(join(ROOT, 'bench', name))),
  ).toEqual([]);
});

/** Returns the text of all files below some folders, without tests. */
const readFolders = (folders: readonly string[]): string =>
  folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.(tsx?|js|sql)$/.test(path))
    .map(read)
    .join('\n');

test('every function, type and object of the database that a page names exists', () => {
  const sources = readFolders([
    'web',
    'server',
    'rules',
    'contracts',
    'build',
    'tools',
    'tests/support',
    'tests/operations',
  ]);
  const words = new Set(sources.match(/[A-Za-z_]\w*/g));
  const sql = readFolders(['database']);
  const unknown = pages.flatMap((page) => {
    const code = matches(read(page).replace(/^```[^]*?^```/gm, ''), /`([^`\n]+)`/g);
    const names = code.flatMap((text) => matches(text, /^([a-z]+[A-Z]\w+|[A-Z][a-z]+[A-Z]\w+)(?:\(.*\))?$/g));
    const objects = code.flatMap((text) =>
      matches(text, /^((?:private|public|auth|storage|realtime|rest)\.[a-z_]+)\b/g),
    );
    return [
      ...names.filter((name) => !words.has(name)),
      ...objects.filter((name) => !new RegExp(`\\b${name.replace('.', '\\.')}\\b`).test(sql)),
    ].map((name) => `${page}: ${name}`);
  });
  expect(unknown).toEqual([]);
});

/** Figures of pages that come from the code: page, the words there, the file, and its text. */
const FIGURES: readonly (readonly [page: string, words: string, file: string, text: string])[] = [
  [
    'docs/running.md',
    'guests 1 s, others 3 s, the server 15 s',
    'server/db/engine/pglite.ts',
    'guest: 1_000, caller: 3_000, server: 15_000',
  ],
  ['docs/running.md', 'what still runs after 15 seconds', 'bin/start.js', 'STOP_SECONDS = 15'],
  [
    'docs/running.md',
    'started again after 0.5 to 30 seconds',
    'server/start/processes.ts',
    'LONGEST_PAUSE_MS = 30_000',
  ],
  ['docs/running.md', 'Six seconds after a process was killed', 'server/queue/task-leases.ts', 'LEASE_SECONDS = 6;'],
  ['docs/running.md', 'and within ten its jobs', 'server/queue/worker.ts', 'LEASE_SECONDS = 10;'],
  ['docs/running.md', 'at least every 15 minutes', 'server/queue/jobs.ts', 'LONGEST_WAIT_MS = 15 * 60_000'],
  [
    'docs/running.md',
    'has waited 15 minutes for its first try',
    'server/start/observe/health.ts',
    'QUEUE_LATE_SECONDS = 15 * 60',
  ],
  ['docs/running.md', '(50 MB free)', 'server/http/health/readiness.ts', 'DISK_MIN_BYTES = 50 * 1024 * 1024'],
  ['docs/running.md', 'no backup for 26 hours', 'server/start/observe/machine.ts', 'BACKUP_LATE_SECONDS = 26 * HOUR_S'],
  ['docs/running.md', 'less than 1 GB free', 'server/start/observe/machine.ts', 'DISK_LOW_BYTES = 1e9'],
  [
    'docs/running.md',
    'above 2 GB or not vacuumed for three days',
    'server/start/observe/embedded.ts',
    'VACUUM_LATE_SECONDS = 3 * 86_400',
  ],
  [
    'docs/running.md',
    'every night after 2 AM',
    'server/start/backup/nightly.ts',
    'HOURS_AFTER_MIDNIGHT_MS = 2 * 60 * MINUTE_MS',
  ],
  [
    'docs/decisions/0026-embedded-engine.md',
    'an idle engine above 384 MB',
    'server/db/engine/maintenance.ts',
    'HEAP_MAX = 384',
  ],
  ['docs/requirements.md', 'cancelled 65 minutes before', 'rules/identity.ts', 'CANCEL_MINUTES = 65'],
  ['docs/requirements.md', 'raised two hours before the session', 'rules/identity.ts', 'RAISE_MINUTES = 120'],
  ['docs/requirements.md', 'at most 24 months', 'rules/identity.ts', 'VERIFICATION_MONTHS = 24'],
  ['docs/requirements.md', 'at most every 30 seconds', 'rules/access.ts', 'secondsBetweenCodes: 30'],
  ['docs/requirements.md', 'more than half of the price', 'rules/coupons.ts', 'PERCENT_WITHOUT_MONEY = 50'],
  [
    'docs/requirements.md',
    '10 a minute for an account and 30 for an address',
    'database/code/coupons/validation.sql',
    "'ip:' || p_address, 30 * v_factor, 60",
  ],
  ['docs/requirements.md', 'for two to eight weeks', 'rules/finding/series.ts', 'SERIES_MAX = 8'],
  [
    'docs/security.md',
    'argon2id (19 MiB, 2 passes)',
    'server/auth/accounts/passwords.ts',
    'memoryCost: 19_456, timeCost: 2',
  ],
  [
    'docs/security.md',
    '20 reports a minute from an address',
    'server/http/metrics/policy-reports.ts',
    'max: 20, seconds: 60',
  ],
  [
    'docs/architecture.md',
    'the reconciliation every five minutes',
    'server/operations/jobs/periodic-tasks.ts',
    "RECONCILE_EVERY = '5 minutes'",
  ],
  ['docs/realtime.md', 'kept for four and a half minutes', 'server/realtime/changes/outbox.ts', 'KEPT_SECONDS = 300;'],
  [
    'docs/accessibility.md',
    'the hosted check waits 20 seconds',
    'web/features/identity/use-start-check.ts',
    'REDIRECT_SECONDS = 20',
  ],
  [
    'docs/glossary.md',
    'holds up to four hours for ten minutes',
    'database/code/bookings/early-holds.sql',
    'if p_hours > 4',
  ],
  [
    'docs/decisions/0004-few-messages-to-the-database.md',
    'up to seven others',
    'server/db/postgres/postgres.ts',
    'BATCH_MAX = 8;',
  ],
  [
    'docs/decisions/0005-sessions-and-tokens.md',
    'with up to sixteen of them',
    'server/auth/sessions/rotations.ts',
    'TOKENS_MAX = 16;',
  ],
  [
    'docs/decisions/0006-permissions-of-staff.md',
    'up to 30 days to add a factor',
    'rules/permissions.ts',
    'GRACE_DAYS_MAX = 30;',
  ],
  [
    'docs/decisions/0013-second-factors.md',
    'allows five attempts',
    'server/auth/factors/challenge-rows.ts',
    'ATTEMPTS_MAX = 5;',
  ],
  [
    'docs/decisions/0023-pages-without-a-connection.md',
    'at most once in five minutes',
    'web/ui/fetch-part.ts',
    'RELOAD_PAUSE_MS = 300_000',
  ],
  [
    'docs/decisions/0025-request-bodies.md',
    'more than 1,000 digits',
    'server/http/bodies/json.ts',
    'DIGITS_MAX = 1_000;',
  ],
  [
    'docs/decisions/0027-realtime.md',
    'or after five seconds',
    'server/realtime/changes/writers.ts',
    'WAIT_MAX_MS = 5_000;',
  ],
  [
    'docs/decisions/0033-shares-of-the-database.md',
    'passed over eight times',
    'server/db/scheduling/queue.ts',
    'PATIENCE = 8;',
  ],
  [
    'docs/decisions/0041-bookings-by-staff.md',
    'wait ten seconds',
    'server/operations/staff/undo-rows.ts',
    'UNDO_MS = 10_000;',
  ],
  [
    'docs/decisions/0058-connections-to-postgresql.md',
    'five times a second',
    'server/db/postgres/replica.ts',
    'COMPARE_MS = 200;',
  ],
  [
    'docs/decisions/0075-saved-cards.md',
    'closed for 45 seconds',
    'server/operations/payments/close-session.ts',
    'CARD_CALL_MS = 45_000;',
  ],
];

test.each(FIGURES)('%s: "%s" is what %s says', (page, words, file, text) => {
  expect(readLine(page)).toContain(words);
  expect(read(file)).toContain(text);
});

test('requirements.md gives the first values of the settings', () => {
  const { holdMinutes, horizonDays, freeCancelHours, maxUnpaidHours, maxUnpaidHoursOfBooking } = constants;
  const page = readLine('docs/requirements.md');
  for (const words of [
    `a hold of ${holdMinutes} minutes`,
    `The last day is ${horizonDays} days ahead`,
    `up to ${freeCancelHours} elapsed hours before the start`,
    `at most ${maxUnpaidHours} unpaid room-hours, ${maxUnpaidHoursOfBooking} in one booking`,
    `card minimum of ${constants.cardMinimumCents} cents`,
  ])
    expect(page).toContain(words);
});

test('guarantees.md counts the plausible faults', () => {
  expect(readLine('docs/guarantees.md')).toContain(`puts ${Object.values(CATALOGUE).flat().length} faults of the kind`);
});

/** Returns the examples of a page: each block of code, with the file that the line before it links or the last one that was linked. */
function readExamples(page: string): { readonly file: string; readonly parts: readonly string[] }[] {
  let file = '';
  return [...page.matchAll(/^\[[^\]]+\]\(\.\.\/([^)]+)\)$|^```tsx?\n([^]*?)^```$/gm)].flatMap(([, link, code]) => {
    if (link !== undefined) file = link;
    return code === undefined ? [] : [{ file, parts: code.split(/^…\n/m) }];
  });
}

/** Returns the parts of an example that its file does not contain, in this order. */
function missingParts(text: string, parts: readonly string[]): string[] {
  let from = 0;
  return parts.filter((part) => {
    const at = text.indexOf(part, from);
    if (at >= 0) from = at + part.length;
    return at < 0;
  });
}

test('every example of house-style.md is in the file that it names', () => {
  const examples = readExamples(read('docs/house-style.md'));
  expect(examples.length).toBeGreaterThan(4);
  expect(examples.flatMap(({ file, parts }) => missingParts(read(file), parts))).toEqual([]);
});

test('an example that differs from its file, or whose parts are in another order, is caught', () => {
  const page = '[a.ts](../web/a.ts)\n\n```ts\nconst a = 1;\n…\nconst b = 2;\n```\n';
  const [example] = readExamples(page);
  expect(example).toEqual({ file: 'web/a.ts', parts: ['const a = 1;\n', 'const b = 2;\n'] });
  expect(missingParts('const a = 1;\nlet c;\nconst b = 2;\n', example?.parts ?? [])).toEqual([]);
  expect(missingParts('const b = 2;\nconst a = 1;\n', example?.parts ?? [])).toEqual(['const b = 2;\n']);
});
