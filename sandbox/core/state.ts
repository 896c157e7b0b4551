import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** State that survives a restart of the sandbox, such as who paid. Each provider stores one value under its name. */
export type State = { load<T>(name: string, empty: T): T; changed(): void; flush(): void };

const WRITE_AFTER_MS = 100;

export function createState(file: string | null): State {
  const values: Record<string, unknown> = file === null ? {} : readFile(file);
  let timer: NodeJS.Timeout | null = null;
  let failed = false;
  function write(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (file === null) return;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(values), { mode: 0o600 });
      renameSync(`${file}.new`, file);
      if (failed) process.stderr.write('the sandbox can store its state again\n');
      failed = false;
    } catch (error) {
      // The disk may be full, for example. The sandbox continues, and the next change saves the state again.
      if (!failed) process.stderr.write(`the sandbox cannot store its state: ${String(error)}\n`);
      failed = true;
    }
  }
  return {
    load<T>(name: string, empty: T): T {
      values[name] ??= empty;
      // The file contains only what the sandbox wrote itself.
      return values[name] as T;
    },
    changed() {
      timer ??= setTimeout(write, WRITE_AFTER_MS);
    },
    flush: write,
  };
}

function readFile(file: string): Record<string, unknown> {
  // At the first start there is no state yet.
  if (!existsSync(file)) return {};
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`The sandbox's state in ${file} cannot be read; move it away to start empty.`, {
      cause,
    });
  }
}
