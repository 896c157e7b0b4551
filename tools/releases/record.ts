/** `npm run release:record`: adds the checked-out commit to `database/released.json` as the release that its package.json names. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSchema } from '#server/db/schema/schema.ts';
import { addRelease } from './add-release.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FILE = join(ROOT, 'database', 'released.json');

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

try {
  if (git('status', '--porcelain') !== '')
    throw new Error('Commit or stash your changes first: a release is a commit.');
  const schema = await readSchema(join(ROOT, 'database'));
  const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const releases = addRelease(schema, git('rev-parse', 'HEAD'), changelog);
  await writeFile(FILE, `${JSON.stringify(releases, null, 2)}\n`);
  process.stdout.write('database/released.json has this commit as a release.\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
