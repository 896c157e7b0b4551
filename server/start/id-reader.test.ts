import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdReader } from '#server/providers/ports.ts';
import { createPictures } from '#server/storage/pictures/pictures.ts';
import { openSandboxPorts, type SandboxPorts } from '#tests/support/sandbox-ports.ts';
import { createIdReader } from './open-adapters.ts';

/** The local reader, with the process that prepares its pictures. */
let sandbox: SandboxPorts;
const pictures = createPictures();
let reader: IdReader & { close(): Promise<void> };
beforeAll(async () => {
  reader = createIdReader({ vision: null, idReadSeconds: 60 }, pictures);
  sandbox = await openSandboxPorts();
}, 30_000);
afterAll(async () => {
  await reader.close();
  pictures.close();
  await sandbox.close();
});

const photo = async (query: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`${sandbox.at(0)}/licence.jpg?${query}`)).arrayBuffer());

test('reads names, birth date and expiry of a photographed licence', { timeout: 60_000 }, async () => {
  const reading = await reader.read(await photo('given=Robin%20Lee&family=Sample&dob=1991-12-30&expiry=2030-06-15'));
  expect(reading).toMatchObject({
    documentKind: 'driver_licence',
    issuingState: 'NSW',
    givenNames: 'Robin Lee',
    dateOfBirth: { iso: '1991-12-30' },
    expiry: { iso: '2030-06-15' },
  });
  expect(reading.familyName?.toUpperCase()).toBe('SAMPLE');
});

test('is less confident than 75 of 100 about a blurred photo', { timeout: 60_000 }, async () => {
  expect((await reader.read(await photo('blur=14'))).confidence).toBeLessThan(75);
});

test('fails without a reading, and can be asked again, when the picture cannot be decoded', async () => {
  const error = await reader.read(Buffer.from('\xff\xd8\xff and no more', 'latin1')).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ name: 'ProviderError', provider: 'ocr', reason: 'unreadable', retryable: true });
});
