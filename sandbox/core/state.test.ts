import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createState } from './state.ts';

test('state that cannot be stored, as on a full disk, is reported once and stored with the next change that can be', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  const lines: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  // A file in the place of the folder makes every write fail.
  const blocked = join(folder, 'blocked');
  await writeFile(blocked, '');
  const state = createState(join(blocked, 'sandbox.json'));
  const values = state.load<string[]>('mails', []);
  for (const mail of ['first', 'second']) {
    values.push(mail);
    state.flush();
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('the sandbox cannot store its state');
  await rm(blocked);
  state.flush();
  expect(lines[1]).toContain('again');
  expect(JSON.parse(await readFile(join(blocked, 'sandbox.json'), 'utf8'))).toEqual({ mails: ['first', 'second'] });
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});
