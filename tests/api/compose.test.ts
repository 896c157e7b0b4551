import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compose } from '#server/compose.ts';
import { readConfig } from '#server/config.ts';
import { migratedFolder } from '#tests/support/image.ts';

test('a start that fails after the database was opened closes it, so that the next start can open the folder', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'compose-'));
  await migratedFolder(join(dataDir, 'database'));
  const environment = { DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  try {
    const failing = compose(readConfig({ ...environment, AUTH_BREACHED_FILE: join(dataDir, 'missing.txt') }));
    await expect(failing).rejects.toThrow('missing.txt');
    const app = await compose(readConfig(environment));
    expect((await app.http.request('/readyz')).status).toBe(200);
    await app.close();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);
