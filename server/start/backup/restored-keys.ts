import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const LINE = /^((?:APP|JWT)_SECRET(?:_PREVIOUS)?)=(.+)$/gm;

/** Reads the variables of the server's keys from the settings that a restore wrote. */
export async function restoredKeys(dataDir: string): Promise<Record<string, string>> {
  const text = await readFile(join(dataDir, 'restored-settings.env'), 'utf8');
  return Object.fromEntries(Array.from(text.matchAll(LINE), ([, name = '', value = '']) => [name, value]));
}
