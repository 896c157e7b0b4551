import { expect, test } from 'vitest';
import {
  type Area,
  importCycles,
  importFaults,
  isIn,
  mutualFolders,
  readFolders,
  readSource,
  readSourceFiles,
} from './support/source-files.ts';

/**
 * The import table (docs/architecture.md). The first row that contains a file applies. A `*` makes each file or folder in its place a
 * separate area. Unit tests next to the code may import what their area may, tests/support, and any package.
 */
const WIRE = ['server/http', 'server/crypto', 'server/db'];
const PORTS = 'server/providers/ports';
// Every adapter may throw the single error type defined next to the ports.
const PORT_ERRORS = 'server/providers/call';
// The shared parts of functions: their type, and how they read requests and write responses.
const FUNCTION_PARTS = ['function', 'handler', 'requests', 'responses', 'describe-access'].map(
  (name) => `server/functions/${name}`,
);
const RULE_PACKAGES = ['zod', '@date-fns/tz'];

const TABLE: readonly Area[] = [
  { area: 'rules', may: [], packages: RULE_PACKAGES },
  { area: 'contracts', may: ['rules'], packages: ['zod'] },
  { area: 'database', may: [], packages: [] },
  { area: 'bin', may: [], packages: ['node:'] },

  // Writes database/types.ts from the data API's schema cache of the migrated database.
  { area: 'tools/database-files', may: ['server/db', 'server/rest/schema-cache'], mayType: ['database'] },
  // Subsets the web font; run by hand.
  { area: 'tools/fonts', may: [] },
  // Writes database/released.json from the migrations.
  { area: 'tools/releases', may: ['server/db'] },
  // Renders all mails with their previews, for viewing and testing.
  { area: 'tools/mails', may: ['server/mails', 'rules'] },
  { area: 'build', may: [] },

  { area: 'web/main', may: ['web'] },
  { area: 'web/start', may: ['web'] },
  { area: 'web/app', may: ['web', 'rules'] },
  { area: 'web/prerender', may: ['web', 'rules'] },
  { area: 'web/page-styles', may: [] },
  { area: 'web/page-texts', may: [] },
  { area: 'web/replay', may: [] },
  { area: 'web/routes', may: ['web', 'rules'] },
  { area: 'web/router', may: [] },
  { area: 'web/pages/*', may: ['web/features', 'web/staff', 'web/ui', 'web/lib', 'web/data', 'web/router', 'rules'] },
  {
    area: 'web/features/*',
    may: ['web/ui', 'web/lib', 'web/data', 'web/router', 'rules'],
    mayType: ['database', 'contracts'],
  },
  {
    area: 'web/staff/*',
    may: ['web/ui', 'web/lib', 'web/data', 'web/router', 'rules'],
    mayType: ['database', 'contracts'],
  },
  { area: 'web/data', may: ['web/lib', 'web/router', 'rules'], mayType: ['database', 'contracts'] },
  { area: 'web/public', may: [] },
  { area: 'web/lib', may: ['rules'], mayType: ['database', 'contracts'] },
  { area: 'web/ui', may: ['web/router'] },

  { area: 'server/main', may: ['server/config', 'server/compose', 'server/http/connections', 'server/start'] },
  { area: 'server/config', may: ['server/db/postgres/address', 'rules/access'] },
  ...['compose', 'start'].map((name) => ({
    area: `server/${name}`,
    may: ['server', 'rules'],
  })),
  {
    area: 'server/app',
    may: ['http', 'auth', 'rest', 'storage', 'realtime', 'functions'].map((name) => `server/${name}`),
  },
  { area: 'server/auth', may: [...WIRE, 'server/queue', 'server/mails', PORTS, 'rules'] },
  { area: 'server/rest', may: WIRE },
  { area: 'server/realtime', may: WIRE },
  { area: 'server/storage', may: [...WIRE, PORTS] },
  { area: 'server/mails', may: ['rules'], mayType: WIRE },
  {
    area: 'server/functions/router',
    may: [...FUNCTION_PARTS, 'contracts', 'server/http', 'server/operations', PORTS, PORT_ERRORS, 'rules'],
    mayType: WIRE,
  },
  {
    area: 'server/functions/*',
    may: [...FUNCTION_PARTS, 'contracts', 'server/http', 'server/operations', PORTS, PORT_ERRORS, 'rules'],
    mayType: WIRE,
  },
  {
    area: 'server/operations',
    may: ['server/db', 'server/queue', 'server/mails', PORTS, PORT_ERRORS, 'rules'],
    mayType: [...WIRE, 'database', 'contracts'],
  },
  {
    area: 'server/providers/*',
    may: [PORTS, PORT_ERRORS, 'server/providers/circuit', 'server/providers/http-call'],
    mayType: [...WIRE, 'rules/access'],
  },
  // Jobs and their workers, without any knowledge of the product or its providers.
  { area: 'server/queue', may: ['server/db'], mayType: WIRE },
  { area: 'server/http', may: ['server/crypto/constant-time'], mayType: WIRE },
  { area: 'server/crypto', may: [], mayType: WIRE },
  { area: 'server/db', may: [], mayType: WIRE },

  { area: 'sandbox', may: [] },
  // The model of holds and payments, which must not repeat a mistake of the program.
  { area: 'simulation/model', may: [], packages: ['node:'] },
  // The server with everything around it, under one clock and one source of randomness. It opens the engine in its own thread.
  {
    area: 'simulation',
    may: ['contracts', 'server/compose', 'server/config', 'server/db/engine', 'sandbox/main', 'rules', 'tests/support'],
  },
  { area: 'tests/e2e', may: ['tests/support'], mayType: ['database'] },
  // The functions router with fake operations, built as the program builds it, but without a database.
  {
    area: 'tests/functions',
    may: [
      'contracts',
      'server/compose/functions',
      'server/http',
      'server/crypto',
      'server/operations',
      PORTS,
      PORT_ERRORS,
      'rules',
    ],
  },
  // The account API on an embedded database with mail, text messages and identity providers in memory.
  { area: 'tests/auth', may: ['server/auth', 'server/queue', ...WIRE, PORTS, 'tests/support'] },
  // The tasks of an operator: databases with few rights, backups, deployments.
  { area: 'tests/operating', may: ['server', 'sandbox/main', 'rules', 'tests/support', 'tests/cluster/balancer'] },
  // Drills: databases and servers that are killed while customers book.
  { area: 'tests/cluster', may: ['server/crypto/keys', 'sandbox/main', 'tests/support'] },
  // The booking operations on a real database with providers in memory.
  {
    area: 'tests/operations',
    may: ['server/operations', 'server/queue', ...WIRE, PORTS, PORT_ERRORS, 'rules', 'tests/support'],
  },
  // The same operations, with a change at each of their locks and calls.
  {
    area: 'tests/interleaving',
    may: [
      'server/operations',
      'tests/operations/booking-system',
      'tests/operations/payment-cases',
      ...WIRE,
      PORT_ERRORS,
      'rules',
      'tests/support',
    ],
  },
  {
    area: 'tests',
    may: ['contracts', 'server/compose', 'server/config', 'sandbox/main', 'rules', 'tests/support'],
    mayType: ['database'],
  },
  {
    area: 'bench',
    may: ['server/compose', 'server/config', 'sandbox/main', 'rules', 'build/budgets', 'tests/support', 'tests/scale'],
  },
];

/** Imports that are allowed despite the table, as: from, to, reason. */
const IMPORT_EXCEPTIONS: readonly (readonly [string, string, string])[] = [
  ['server/http/classify-error.ts', '#server/db/database.ts', 'its errors are classified for all APIs'],
  ['server/http/classify-error.test.ts', '#server/db/database.ts', 'as above'],
  ['server/http/token.test.ts', '#server/crypto/keys.ts', 'tokens are read with the keys that signed them'],
  [
    'tests/operations/staff-concessions.test.ts',
    '#server/functions/function.ts',
    'rights are read where the functions hand them on',
  ],
  [
    'tests/operations/staff-concessions.test.ts',
    '#server/functions/staff-bookings/staff-cancel-booking.ts',
    'as above',
  ],
  [
    'tests/operations/staff-concessions.test.ts',
    '#server/functions/staff-bookings/staff-create-booking.ts',
    'as above',
  ],
  ['tests/operations/staff-concessions.test.ts', '#server/functions/staff-bookings/staff-move-booking.ts', 'as above'],
  ['tests/operations/staff-concessions.test.ts', '#server/functions/staff-bookings/staff-refund.ts', 'as above'],
  ['tests/operations/staff-concessions.test.ts', '#server/functions/staff-bookings/staff-undo.ts', 'as above'],
  ['tests/automated-decisions.test.ts', '#server/operations/core/booking-rows.ts', 'types of all reasons'],
  ['web/ui/component-tests.ts', '#web/lib/query-client.ts', 'component tests have the query client of the pages'],
  ['web/ui/component-tests.ts', '#web/lib/business/business.ts', 'component tests have the data of the pages'],
  [
    'web/ui/component-tests.ts',
    '#rules/business/first-settings.ts',
    'component tests have the data that the business begins with',
  ],
  [
    'web/ui/component-tests.ts',
    '#rules/business/rooms.ts',
    'component tests have the data that the business begins with',
  ],
  ['web/data/testing/wire.ts', '#contracts/calls.ts', 'component tests answer with the examples of the contracts'],
  [
    'web/data/testing/wire.ts',
    '#contracts/core/refusals.ts',
    'component tests refuse with the statuses of the contracts',
  ],
  ['web/data/rereads.test.ts', '#tests/pages/rereads.ts', 'the rows of all mutations of the pages'],
  ['web/data/rereads.test.ts', '#web/ui/testing/watched-reads.ts', 'component tests watch reads in the same way'],
  ['build/site.ts', 'computed', 'it imports what it has just built'],
  ['tools/mails/render.ts', 'computed', 'it renders whatever template it finds'],
  ['server/start/render-pages.ts', 'computed', 'it imports what the build has made of the pages'],
  ['server/http/limits.test.ts', '#server/db/schema/schema.ts', 'limits are counted in SQL: tested on a real database'],
  ['server/http/limits.test.ts', '#server/db/engine/open-embedded.ts', 'as above'],
  ['server/http/limits.test.ts', '#server/db/postgres/open-postgres.ts', 'as above'],
  ['tests/support/image.ts', '#server/db/schema/schema.ts', 'the migrated database is created before any test server'],
  ['tests/support/image.ts', '#server/db/engine/image.ts', 'as above'],
  ['tests/support/image.ts', '#server/db/engine/open-embedded.ts', 'as above'],
  ['tests/support/databases/embedded-pool.ts', '#server/db/database.ts', 'it opens databases for test servers'],
  ['tests/support/databases/embedded-pool.ts', '#server/db/engine/open-embedded.ts', 'as above'],
  ['tests/support/postgres.ts', '#server/db/postgres/open-postgres.ts', 'as above, on PostgreSQL'],
  ['tests/support/postgres.ts', '#server/db/schema/schema.ts', 'as above'],
  ['tests/realtime/cluster.ts', '#server/crypto/keys.ts', 'processes share the keys of a test'],
  ['tests/realtime/cluster.ts', '#server/db/database.ts', 'rows are written beside the processes'],
  ['tests/realtime/cluster.ts', '#server/db/postgres/postgres.ts', 'as above'],
  ['tests/realtime/session-ends.test.ts', '#server/db/database.ts', 'as above'],
  ['tests/realtime/outbox.test.ts', '#server/realtime/changes/outbox.ts', 'old changes are deleted without waiting'],
  ['tests/realtime/outbox.test.ts', '#server/realtime/changes/changes.ts', 'changes arrive between two of its queries'],
  ['tests/realtime/outbox.test.ts', '#server/realtime/changes/reader.ts', 'one of its queries fails'],
  ['tests/mutation/sql-database.ts', '#server/db/schema/migrate.ts', 'a faulty schema is loaded like the real one'],
  ['tests/mutation/sql-database.ts', '#server/db/schema/schema.ts', 'as above'],
  ['tests/mutation/mutated-schema.ts', '#server/db/schema/schema.ts', 'as above'],
  ['tests/mutation/mutated-schema.ts', '#server/db/schema/code-objects.ts', 'as above'],
  ['tests/sql/migration-faults.ts', '#server/db/schema/statements.ts', 'statements of migrations are read one by one'],
  ['tests/sql/migration-faults.ts', '#server/db/schema/long-locks.ts', 'an operator is shown these statements too'],
  ['tests/sql/migration-faults.test.ts', '#server/db/schema/long-locks.ts', 'as above'],
  ['tests/sql/code.test.ts', '#server/db/schema/schema.ts', 'the database is compared with the text of the code'],
  ['tests/support/fake-database.ts', '#server/db/database.ts', 'tests of operations get a database of given rows'],
  ['tests/support/rows.ts', '#server/db/values.ts', 'rows are decoded as the program decodes them'],
  ['tests/support/rows.ts', '#server/db/roll-back.ts', 'a transaction is rolled back in one way only'],
  ['tests/policies/mutations.test.ts', '#server/db/roll-back.ts', 'as above'],
  [
    'tests/support/providers/services.ts',
    '#server/operations/core/services.ts',
    'tests of operations give them some of the services',
  ],
  ...Object.entries({
    ports: ['checks', 'locks', 'messages', 'moves', 'payments', 'ports', 'store'],
    call: ['checks', 'idempotency', 'locks', 'payments', 'ports'],
  }).flatMap(([port, names]) =>
    names.map(
      (name) =>
        [
          `tests/support/providers/${name}.ts`,
          `#server/providers/${port}.ts`,
          'providers in memory implement the ports',
        ] as const,
    ),
  ),
  ...['disk-store', 's3-store'].map(
    (name) => ['server/providers/object-store.test.ts', `./${name}.ts`, 'one suite tests both stores'] as const,
  ),
  ...['igloohome/locks', 'shelly-power', 'smtp-mail', 'stripe/identity', 'stripe/payments', 'vision-id-reader'].map(
    (name) =>
      ['server/providers/ports.test.ts', `./${name}.ts`, 'one suite per port tests each of its adapters'] as const,
  ),
  ...[
    'captcha',
    'github-sign-in',
    'igloohome/locks',
    'igloohome/webhook-signature',
    'openid-sign-in',
    'saml-sign-in',
    'shelly-power',
    'smtp-mail',
    'stripe/identity',
    'stripe/payments',
    'twilio-texts',
    'vision-id-reader',
    'wallet/google-passes',
  ].map((name) => ['server/providers/garbage-replies.test.ts', `./${name}.ts`, 'one suite of all adapters'] as const),
];
/** Items that may exceed their budget, with the reason. */
const BUDGET_EXCEPTIONS: Readonly<Record<string, string>> = {
  'database/code': 'one folder for each noun',
  'database/migrations': 'one file for each noun and for each later change, run in the order of their names',
  'database/types.ts': 'generated',
  contracts: 'one folder for each noun',
  'server/functions': 'one folder for each noun',
};
/** Functions that are still over their budget. An entry that is no longer needed fails a test: delete it. */
const LONG_FUNCTIONS: readonly string[] = [];
/** Pairs of folders that still import each other. An entry that is no longer needed fails a test: delete it. */
const MUTUAL_FOLDERS: readonly string[] = [];
/** Files that contain a product word as part of another word. */
const WORD_EXCEPTIONS = ['server/auth/accounts/common-passwords.ts'];

const FILE_LINES = 400;
const FUNCTION_LINES = 80;
const FOLDER_ENTRIES = 20;
const PATH_DEPTH = 4;

const sources = readSourceFiles();
const isTest = (path: string): boolean => isIn(path, 'tests') || /\.(test|e2e)\.tsx?$/.test(path);
const code = sources.filter(({ path }) => !isTest(path));

function findFaults(path: string, text: string): string[] {
  return importFaults(readSource(path, text), TABLE);
}

test('every import follows the table', () => {
  const excused = IMPORT_EXCEPTIONS.map(([from, to]) => `${from} imports ${to}: `);
  const faults = sources.flatMap((source) => importFaults(source, TABLE));
  expect(faults.filter((fault) => !excused.some((start) => fault.startsWith(start)))).toEqual([]);
});

test('every exception is still needed', () => {
  const faults = sources.flatMap((source) => importFaults(source, TABLE));
  const unused = IMPORT_EXCEPTIONS.filter(
    ([from, to]) => !faults.some((fault) => fault.startsWith(`${from} imports ${to}: `)),
  );
  expect(unused).toEqual([]);
});

test.each([
  ['rules/pricing.ts', "import { db } from '#server/db/database.ts';"],
  ['rules/pricing.ts', "import { readFileSync } from 'node:fs';"],
  ['web/pages/booking/choose.tsx', "import { Checkout } from '../checkout.tsx';"],
  ['web/features/auth/queries.ts', "import { hold } from '#web/features/booking/queries.ts';"],
  ['web/ui/button.tsx', "import { cents } from '#rules/money.ts';"],
  ['web/data/session.tsx', "import { types } from '#database/types.ts';"],
  ['server/rest/parse.ts', "import { ports } from '#server/providers/ports.ts';"],
  ['server/functions/identity/verify-id.ts', "import { db } from '#server/db/database.ts';"],
  ['server/functions/identity/verify-id.ts', "import { cancelBooking } from '../bookings/cancel-booking.ts';"],
  ['server/functions/identity/verify-id.ts', "export { cancelBooking } from '../bookings/cancel-booking.ts';"],
  ['server/operations/staff/require-permission.ts', "import { createLimits } from '#server/http/limits.ts';"],
  ['server/http/caller.ts', "const db = () => import('#server/db/database.ts');"],
  ['server/http/caller.ts', "export type Cents = import('#rules/money.ts').Cents;"],
  ['server/http/caller.ts', 'const any = (name: string) => import(name);'],
  ['server/auth/users.ts', "import type { Database } from '../db/database.ts';"],
  ['server/auth/users.ts', "import { findUser } from '#server/auth/accounts.ts';"],
  ['sandbox/stripe/api.ts', "import { cents } from '#rules/money.ts';"],
  ['tests/api/auth.test.ts', "import { createTestDatabase } from '../support/postgres.ts';"],
  ['bin/start.js', "import { z } from 'zod';"],
  ['tests/e2e/booking.e2e.ts', "import { compose } from '#server/compose.ts';"],
  ['somewhere/else.ts', "import { z } from 'zod';"],
])('a made-up import in %s is caught: %s', (path, text) => {
  expect(findFaults(path, text)).not.toEqual([]);
});

test.each([
  ['rules/pricing.test.ts', "import fc from 'fast-check';"],
  ['web/features/auth/queries.ts', "import type { Row } from '#database/types.ts';"],
  ['server/functions/identity/verify-id.ts', "import type { Database } from '#server/db/database.ts';"],
  ['server/functions/identity/verify-id.ts', "import { type Limit, parse } from '../requests.ts';"],
  ['server/operations/staff/require-permission.ts', "import { type Caller } from '#server/http/caller.ts';"],
  ['server/rest/router.test.ts', "import { createTestDatabase } from '#tests/support/postgres.ts';"],
  ['tests/e2e/booking.e2e.ts', "import { expect, test } from '#tests/support/journey.ts';"],
  ['sandbox/stripe/api.ts', "import { core } from '../core/core.ts';"],
])('a made-up import in %s is allowed: %s', (path, text) => {
  expect(findFaults(path, text)).toEqual([]);
});

/** The parts of the server that do not depend on the product. */
const GENERIC = ['auth', 'rest', 'storage', 'realtime', 'db', 'http', 'crypto', 'queue'].map(
  (name) => `server/${name}`,
);
const PRODUCT_WORDS = /booking|coupon|discount|studio|stripe|igloohome/i;

test('the generic parts of the server contain no word of the product', () => {
  const found = sources
    .filter(({ path }) => GENERIC.some((area) => isIn(path, area)) && !WORD_EXCEPTIONS.includes(path))
    .flatMap(({ path, text }) => {
      const word = PRODUCT_WORDS.exec(text)?.[0] ?? PRODUCT_WORDS.exec(path)?.[0];
      return word === undefined ? [] : [`${path} contains ${word}`];
    });
  expect(found).toEqual([]);
});

test('no query of the site replaces the types of its rows, which would hide a misspelt column', () => {
  const replacing = sources.filter(({ path, text }) => isIn(path, 'web') && /\.(overrideTypes|returns)</.test(text));
  expect(replacing.map(({ path }) => path)).toEqual([]);
});

test('rules take the time as an argument', () => {
  const clock = /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)|\bperformance\.now\b|\bTemporal\.Now\b/;
  expect(['Date.now()', 'new Date( )', 'Date()'].every((text) => clock.test(text))).toBe(true);
  expect(clock.test('new Date(instant)')).toBe(false);
  const reading = sources.filter(({ path, text }) => isIn(path, 'rules') && !isTest(path) && clock.test(text));
  expect(reading.map(({ path }) => path)).toEqual([]);
});

test('the environment is read in one place', () => {
  const reading = sources.filter(
    ({ path, text }) =>
      ['server', 'rules', 'web'].some((tree) => isIn(path, tree)) &&
      path !== 'server/config.ts' &&
      !isTest(path) &&
      /process\.env|import\.meta\.env/.test(text.replace('readConfig(process.env)', '')),
  );
  expect(reading.map(({ path }) => path)).toEqual([]);
});

test('file names follow the naming rules', () => {
  const misnamed = sources.filter(({ path }) => {
    const name = path.split('/').at(-1) ?? '';
    return (
      !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|e2e))?\.(ts|tsx|js)$/.test(name) ||
      /^(index|utils?|helpers?|common|misc)\./.test(name) ||
      /\/(utils?|helpers?|common|misc)\//.test(path)
    );
  });
  expect(misnamed.map(({ path }) => path)).toEqual([]);
});

/** Returns everything that exceeds its budget, with its size. */
function overBudget(): [what: string, size: string][] {
  return [
    ...code.filter(({ lines }) => lines > FILE_LINES).map(({ path, lines }) => over(path, `${lines} lines`)),
    ...code.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > FUNCTION_LINES)
        .map(({ name, line, lines }) => over(`${path} ${name}`, `${lines} lines from line ${line}`)),
    ),
    ...readFolders()
      .filter(({ entries }) => entries > FOLDER_ENTRIES)
      .map(({ path, entries }) => over(path, `${entries} entries`)),
    ...sources
      .filter(({ path }) => path.split('/').length > PATH_DEPTH)
      .map(({ path }) => over(path, 'too deep a path')),
  ];
}
const over = (what: string, size: string): [string, string] => [what, size];

test('files, functions, folders and paths are within their budgets', () => {
  const excused = [...Object.keys(BUDGET_EXCEPTIONS), ...LONG_FUNCTIONS];
  expect(overBudget().filter(([what]) => !excused.includes(what))).toEqual([]);
});

test('every budget exception is still needed', () => {
  const found = overBudget().map(([what]) => what);
  const excused = [...Object.keys(BUDGET_EXCEPTIONS), ...LONG_FUNCTIONS];
  expect(excused.filter((what) => !found.includes(what))).toEqual([]);
});

test('the lines of a function include the functions inside it', () => {
  const text = 'function outer() {\n  const inner = () => {\n    return 1;\n  };\n  return inner;\n}\n';
  const { functions } = readSource('rules/made-up.ts', text);
  expect(functions.map(({ name, lines }) => [name, lines])).toEqual([
    ['outer', 6],
    ['inner', 3],
  ]);
});

test('folders import each other in one direction only', () => {
  expect(mutualFolders(code)).toEqual(MUTUAL_FOLDERS);
});

test('no files import each other in a circle, not even types', () => {
  expect(importCycles(code)).toEqual([]);
});

test('made-up circles of folders and files are found', () => {
  const files = [
    ['server/a/one.ts', "import type { Two } from '../b/two.ts';"],
    ['server/b/two.ts', "import { three } from './three.ts';"],
    ['server/b/three.ts', "import { one } from '#server/a/one.ts';"],
  ] as const;
  const parsed = files.map(([path, text]) => readSource(path, text));
  expect(mutualFolders(parsed)).toEqual(['server/a <> server/b']);
  expect(importCycles(parsed)).toEqual([['server/a/one.ts', 'server/b/two.ts', 'server/b/three.ts']]);
  expect(importCycles(parsed.slice(0, 2))).toEqual([]);
});
