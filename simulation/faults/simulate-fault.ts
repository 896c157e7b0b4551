import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { FAULTS } from './all-faults.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LEFT_OUT = ['node_modules', '.git', 'artefacts', 'data', 'dist'];

/** Puts a fault into a copy of the project and simulates there. Returns the exit code: 1 if the fault was found. */
export async function simulateFault(name: string, args: readonly string[]): Promise<number> {
  const fault = FAULTS.find((other) => other.name === name);
  if (!fault) throw new Error(`There is no fault ${name}; --list-faults lists them.`);
  const copy = await mkdtemp(join(tmpdir(), 'simulation-fault-'));
  try {
    await cp(ROOT, copy, { recursive: true, filter: (path) => !LEFT_OUT.includes(relative(ROOT, path)) });
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, fault.file);
    const text = await readFile(path, 'utf8');
    if (text.split(fault.find).length !== 2)
      throw new Error(`The text of ${name} does not occur once in ${fault.file}.`);
    await writeFile(
      path,
      text.replace(fault.find, () => fault.replace),
    );
    const child = spawn(process.execPath, [join(copy, 'simulation', 'main.ts'), ...args], {
      stdio: 'inherit',
      // A fault in SQL makes another image of the database, which is not needed later.
      env: { ...process.env, SIMULATION_CACHE: fault.file.endsWith('.sql') ? copy : undefined },
    });
    return await new Promise((done) => child.once('close', (code) => done(code ?? 1)));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
