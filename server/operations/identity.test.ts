import { expect, test } from 'vitest';
import type { Database } from '#server/db/database.ts';
import { createIdentity } from './identity.ts';

/** The part of the ports these cases reach; anything else would be a call nobody expects. */
const unreachable = new Proxy({}, { get: (_, name) => () => Promise.reject(new Error(`called ${String(name)}`)) });

test('without a hosted check none begins and none is asked for: not_configured, with the photo as the way on', async () => {
  // Casts: only `one` of the database is reached, nothing of the other ports.
  const db = {
    one: (text: string) =>
      // Nobody was found to be under 18 before.
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
