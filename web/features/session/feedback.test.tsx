import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { uploadReportPhoto } from '#web/data/photos/report-photo.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { FeedbackParts } from './feedback.tsx';
import type * as queries from './feedback-queries.ts';
import * as wire from '#web/data/testing/wire.ts';

const clock = vi.hoisted(() => ({ now: new Date() }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => clock.now }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock(import('#web/data/photos/report-photo.ts'), async (original) => ({
  ...(await original()),
  uploadReportPhoto: vi.fn(),
}));
const upload = vi.mocked(uploadReportPhoto);

const at = (hour: number): Date => new Date(Date.parse('2031-03-08T00:00:00+11:00') + hour * 3_600_000);
const BOOKING: queries.FeedbackState = {
  id: '55555555-5555-4555-8555-555555555555',
  studioId: 'A',
  studioName: 'Studio A',
  startTime: at(18),
  endTime: at(20),
};
const REPORT: queries.OwnReport = {
  id: 'r1',
  kind: 'problem',
  category: 'sound',
  description: 'No bass',
  photos: 1,
  state: 'in_progress',
  answer: null,
  answeredAt: null,
  outcome: null,
  createdAt: at(19),
};
beforeEach(() => {
  vi.resetAllMocks();
  wire.answerRows('own_feedback', { reports: [], rating: null });
});
const show = (now: Date) => {
  clock.now = now;
  return renderPart(<FeedbackParts booking={BOOKING} userId="u1" />);
};
const press = (name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const dialog = () => within(screen.getByRole('dialog'));

test('a problem is reported during the session with its photos, each uploaded once although the report is sent again', async () => {
  wire.fail('report-problem', 500, 'No connection.');
  upload.mockImplementation(async (_user, file) => `u1/${file.name}`);
  show(at(19));
  await screen.findByText('Something wrong?');
  expect(screen.queryByText(/How was/)).toBeNull();
  await press('Report a problem');
  await user.selectOptions(dialog().getByLabelText('What is it about'), 'Sound');
  await fill(dialog().getByLabelText('What happened'), 'No bass');
  const photos = ['1.jpg', '2.jpg', '3.jpg', '4.jpg'].map((name) => new File(['x'], name, { type: 'image/jpeg' }));
  await user.upload(dialog().getByLabelText('Photos'), photos);
  expect(dialog().getByText('Choose at most 3 photos.')).toBeTruthy();
  await user.upload(dialog().getByLabelText('Photos'), photos.slice(0, 2));
  await user.click(dialog().getByRole('button', { name: 'Send' }));
  expect(await dialog().findByText('No connection.')).toBeTruthy();
  wire.answer('report-problem', wire.exampleFrom('report-problem'));
  await user.click(dialog().getByRole('button', { name: 'Send' }));
  await wire.expectRequests('report-problem', 2);
  await wire.expectRequests('own_feedback', 3);
  expect(upload).toHaveBeenCalledTimes(2);
  const [first, second] = wire.sent('report-problem');
  expect(first).toEqual(second);
  expect(first).toMatchObject({
    bookingId: BOOKING.id,
    kind: 'problem',
    category: 'sound',
    photos: ['u1/1.jpg', 'u1/2.jpg'],
  });
});

test('a report says how far it has come, and the answer of the team [spec 10.17]', async () => {
  const lost = { ...REPORT, id: 'r2', kind: 'lost' as const, description: 'A USB stick', outcome: 'found' as const };
  wire.answerRows('own_feedback', { reports: [REPORT, { ...lost, answer: 'At the desk.' }], rating: null });
  show(at(19));
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Someone has read it');
  expect(second?.textContent).toContain('Found');
  expect(second?.textContent).toContain('At the desk.');
});

test('after the session one question is asked, which can be answered again for a week', async () => {
  const { unmount } = show(at(21));
  await user.click(await screen.findByRole('radio', { name: /4/ }));
  await fill(screen.getByLabelText('One sentence, if you like'), ' Too warm ');
  await press('Send');
  await wire.expectSent('rate-session', { bookingId: BOOKING.id, score: 4, words: 'Too warm' });
  await wire.expectRequests('own_feedback', 2);
  unmount();
  wire.answerRows('own_feedback', { reports: [], rating: { score: 4, words: 'Too warm', createdAt: at(21) } });
  const later = show(at(22));
  expect(await screen.findByText(/You said 4 of 5: “Too warm”/)).toBeTruthy();
  await press('Change it');
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /4/ }).checked).toBe(true);
  later.unmount();
  show(at(21 + 8 * 24));
  await screen.findByText(/You said 4 of 5/);
  expect(screen.queryByRole('button', { name: 'Change it' })).toBeNull();
  expect(screen.queryByRole('button', { name: 'Report a problem' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Left something behind?' })).toBeTruthy();
});

test('nothing is asked before the session, and what could not be loaded or sent says so', async () => {
  const { unmount } = show(at(12));
  expect(wire.sentTo('own_feedback')).toEqual([]);
  unmount();
  wire.fail('own_feedback', 500);
  wire.fail('rate-session', 500, 'No connection.');
  show(at(21));
  expect(await screen.findByText('Your reports could not be loaded.')).toBeTruthy();
  wire.answerRows('own_feedback', null);
  await press('Try again');
  await user.click(await screen.findByRole('radio', { name: /5/ }));
  await press('Send');
  expect((await screen.findByRole('alert')).textContent).toBe('No connection.');
});
