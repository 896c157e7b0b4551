import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';

/** The bill of materials that `npm run sbom` prints, in CycloneDX's JSON format. */
type Bill = {
  readonly bomFormat: string;
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
};
type Locked = {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
};

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const locked = Object.entries((JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }).packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), ...entry }));
let bill: Bill;
let named: Set<string>;

beforeAll(() => {
  const cwd = new URL('../../', import.meta.url).pathname;
  bill = JSON.parse(execFileSync('npm', ['run', '-s', 'sbom'], { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 })) as Bill;
  named = new Set(bill.components.map(({ name, version }) => `${name}@${version}`));
});

test('names each package that a production install always has, with its version', () => {
  const production = locked.filter(({ dev, optional, devOptional }) => !dev && !optional && !devOptional);
  expect(production.length).toBeGreaterThan(150);
  const absent = production.map(({ name, version }) => `${name}@${version}`).filter((entry) => !named.has(entry));
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(absent).toEqual([]);
});

test('names each package of package.json with its version, so also those that the build puts into the pages', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const expected = Object.entries({ ...dependencies, ...devDependencies }).map(
    ([name, version]) => `${name}@${version}`,
  );
  expect(expected.length).toBeGreaterThan(60);
  expect(expected.filter((entry) => !named.has(entry))).toEqual([]);
});

test('gives each package of the lockfile its hash there, and its package URL', () => {
  const names = new Set(locked.map(({ name, version }) => `${name}@${version}`));
  const listed = bill.components.filter(({ name, version }) => names.has(`${name}@${version}`));
  const without = listed.filter(({ purl, hashes = [] }) => hashes.length === 0 || !purl.startsWith('pkg:npm/'));
  expect(listed.length).toBeGreaterThan(200);
  expect(without).toEqual([]);
});
