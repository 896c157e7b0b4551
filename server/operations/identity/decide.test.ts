import { expect, test } from 'vitest';
import type { LicenceReading } from '#server/providers/ports.ts';
import { createRowDatabase } from '#tests/support/fake-database.ts';
import { servicesWith } from '#tests/support/providers/services.ts';
import { decide } from './decide.ts';

const NOW = new Date('2031-03-01T00:00:00Z');
const READING: LicenceReading = {
  documentKind: 'driver_licence',
  issuingState: 'NSW',
  medium: 'physical',
  givenNames: 'Alex',
  familyName: 'Citizen',
  dateOfBirth: { iso: '1998-04-03', printed: null },
  expiry: { iso: '2033-04-03', printed: null },
  isLegible: true,
  issues: [],
  confidence: 100,
};

/** Decides about a reading while the name in the profile becomes each of these, one for each time that it is read. */
async function decideWhile(names: readonly string[], reading: LicenceReading) {
  const stored: string[] = [];
  const removed: string[] = [];
  const remaining = [...names];
  const { db, statements } = createRowDatabase({
    'from public.profiles': () => ({ fullName: remaining.shift(), dateOfBirth: '1998-04-03' }),
  });
  const services = servicesWith({
    db,
    clock: () => NOW,
    store: {
      put: async (key) => void stored.push(key),
      remove: async (key) => void removed.push(key),
    },
  });
  const photo = new Uint8Array([1]);
  const answer = await decide(services, 'u', { source: 'photo', reading, sessionId: null, photo }).catch(
    (error: unknown) => error,
  );
  const inserts = statements.filter(({ text }) => text.includes('insert into public.id_verifications'));
  return { answer, stored, removed, inserts, remaining };
}

test('a profile that keeps changing during the check is compared three times', async () => {
  const { answer, inserts, remaining } = await decideWhile(['A', 'B', 'C', 'D', 'E', 'F', 'G'], READING);
  expect(answer).toMatchObject({
    code: 'invalid_request',
    message: 'Your name or date of birth changed while we were reading your ID. Please try again.',
  });
  expect([inserts, remaining]).toEqual([[], ['G']]);
});

test('a profile that changed once is compared again, and the photo is kept only for the decision of a person', async () => {
  const name = 'Alex Citizen';
  const sure = await decideWhile(['Other Name', name, name, name], READING);
  expect(sure.answer).toMatchObject({ judgement: { decision: 'verified' }, profileBirthDate: '1998-04-03' });
  expect(sure.inserts).toHaveLength(1);
  // The first comparison, with another name, needed a person, so its photo was stored, and removed again.
  expect(sure.stored).toEqual([expect.stringMatching(/^review\/[0-9a-f-]{36}\.jpg$/)]);
  expect(sure.removed).toEqual(sure.stored);
  const unsure = await decideWhile([name, name], { ...READING, confidence: 10 });
  expect(unsure.answer).toMatchObject({ judgement: { decision: 'review' } });
  expect([unsure.stored.length, unsure.removed]).toEqual([1, []]);
});
