import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const INSTALL = ['ci', '--omit=dev', '--no-audit', '--no-fund'];
const run = promisify(execFile);

/** The server of a release: its sources with their packages. */
export type ReleasedProgram = { readonly main: string; remove(): Promise<void> };

/** Unpacks the server of a release from the history of this repository. Throws if the commit is missing. */
export async function unpackProgram({
  version,
  commit,
}: {
  version: string;
  commit: string;
}): Promise<ReleasedProgram> {
  await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).catch((cause: unknown) => {
    const needed = `release ${version} is commit ${commit}, which is not in this clone; run: git fetch --unshallow`;
    throw new Error(needed, { cause });
  });
  const folder = await mkdtemp(join(tmpdir(), 'released-program-'));
  const archive = join(folder, 'program.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-x', '-f', archive, '-C', folder]);
  await rm(archive);
  if ((await readPackages(folder)) === (await readPackages(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', INSTALL, { cwd: folder });
  return {
    main: join(folder, 'server', 'main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Returns the packages that a lock file names, without the program's own version. */
async function readPackages(folder: string): Promise<string> {
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as { packages: object };
  return JSON.stringify({ ...lock.packages, '': null });
}
