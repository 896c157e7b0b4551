import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { createIdentity } from './identity.ts';

/** A port that rejects each call: these cases must not reach it. */
const unreachable = new Proxy({}, { get: (_, name) => () => Promise.reject(new Error(`called ${String(name)}`)) });

test('without a hosted check, starting and reading one are refused with not_configured and advice to use a photo', async () => {
  // Casts: the code calls only `one` of the database, and none of the other ports.
  const db = {
    one: (text: string) =>
      // No earlier check said under 18.
      Promise.resolve(
        text.includes('extracted_dob') ? null : { count: 0, status: 'open', decision: null, reasons: null },
      ),
  };
  const identity = createIdentity({
    db: db as unknown as Database,
    reader: unreachable as never,
    pictures: unreachable as never,
    store: unreachable as never,
    checks: null,
    clock: () => new Date(),
    siteUrl: 'https://example.com',
    readAtOnce: 1,
  });
  const refusal = { code: 'not_configured', message: expect.stringContaining('photo of your licence') };
  await expect(identity.beginHosted('u', 'a@example.com')).rejects.toMatchObject(refusal);
  await expect(identity.checkHosted('u', 'vs_1')).rejects.toMatchObject(refusal);
});
