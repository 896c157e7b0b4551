import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { uploadReportPhoto } from '#web/data/photos/report-photo.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Incidents } from './incidents.tsx';
import type * as queries from './queries.ts';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('#web/data/photos/report-photo.ts'), async (original) => ({
  ...(await original()),
  uploadReportPhoto: vi.fn(),
}));
const upload = vi.mocked(uploadReportPhoto);
const answer = (...incidents: queries.Incident[]) => wire.answer('staff-incidents', { incidents });
beforeEach(() => {
  vi.resetAllMocks();
  wire.signIn('u1');
  answer();
  wire.answerRows('staff_ratings', { rooms: [], ratings: [] });
});

const STUDIOS = [{ id: '11111111-1111-4111-8111-111111111111', name: 'Studio A' }];
const MIXER: queries.Incident = {
  id: '22222222-2222-4222-8222-222222222222',
  studioId: '11111111-1111-4111-8111-111111111111',
  studioName: 'Studio A',
  booking: null,
  description: 'Broken mixer',
  state: 'open',
  reporter: 'Kim',
  kind: 'room',
  category: null,
  reference: null,
  photos: ['u1/x.jpg'],
  answer: null,
  answeredAt: null,
  outcome: null,
  createdAt: new Date('2031-03-01T00:00:00Z'),
  changedBy: null,
  changedAt: null,
};
const show = (mayRefund = true) => renderPart(withAccount(<Incidents studios={STUDIOS} mayRefund={mayRefund} />));
const dialog = () => within(screen.getByRole('dialog'));
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('an incident has its room, state, reporter and time, and its photo on demand', async () => {
  const done = { state: 'done' as const, changedBy: 'Alex', changedAt: new Date('2031-03-02T00:00:00Z') };
  answer(MIXER, { ...MIXER, ...done, id: '33333333-3333-4333-8333-333333333333', studioName: null, photos: [] });
  wire.answerPath('/storage/v1/object/incidents/u1/x.jpg', 'abc', 'image/jpeg');
  show();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Studio A OpenBroken mixerReported Sat 1 Mar 2031, 11 am, Kim.');
  expect(second?.textContent).toContain('No room Done');
  expect(second?.textContent).toContain('Done since Sun 2 Mar 2031, 11 am, Alex.');
  await press('Show the photo');
  const photo = await screen.findByRole<HTMLImageElement>('img');
  expect(photo.alt).toBe('Broken mixer');
  expect(photo.src).toBe('data:image/jpeg;base64,YWJj');
});

test('the state of an incident is changed', async () => {
  answer(MIXER);
  show();
  await user.selectOptions(await screen.findByLabelText('Status'), 'In progress');
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Status changed', description: 'In progress' }));
  expect(wire.sent('staff-change-incident')).toEqual([{ incidentId: MIXER.id, state: 'in_progress' }]);
  await wire.expectRequests('staff-incidents', 2);
});

test('an incident is reported with a photo, which is uploaded once although the report is sent again', async () => {
  upload.mockResolvedValue('u1/y.jpg');
  wire.fail('staff-report-incident', 500, 'No connection.');
  show();
  await press('Report incident');
  await user.click(dialog().getByRole('button', { name: 'Report incident' }));
  expect(await dialog().findByText('Enter what happened.')).toBeTruthy();
  await fill(dialog().getByLabelText('What happened'), 'Broken mixer');
  const photo = new File(['x'], 'x.jpg', { type: 'image/jpeg' });
  await user.upload(dialog().getByLabelText('Photo'), photo);
  await user.click(dialog().getByRole('button', { name: 'Report incident' }));
  expect(await dialog().findByText('No connection.')).toBeTruthy();
  wire.answer('staff-report-incident', wire.exampleFrom('staff-report-incident'));
  await user.click(dialog().getByRole('button', { name: 'Report incident' }));
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Incident reported' }));
  expect(upload).toHaveBeenCalledExactlyOnceWith('u1', photo);
  const sent = {
    studioId: STUDIOS[0]?.id,
    description: 'Broken mixer',
    photo: 'u1/y.jpg',
    requestId: expect.any(String),
  };
  const [first, second] = wire.sent('staff-report-incident');
  expect([first, second]).toEqual([sent, sent]);
  expect(first?.requestId).toBe(second?.requestId);
  expect(wire.sent('staff-report-incident')).toHaveLength(2);
});

test('no incidents say so, and incidents that could not be loaded can be read again', async () => {
  wire.fail('staff-incidents', 500, 'No connection.');
  show();
  expect(screen.getByLabelText('Loading the incidents')).toBeTruthy();
  expect(await screen.findByText('No connection.')).toBeTruthy();
  answer();
  await press('Try again');
  expect(await screen.findByText('No incidents. Report anything that broke or happened in a room.')).toBeTruthy();
});

test('the minutes at a closed door are refunded with one press, once', async () => {
  const booking = {
    id: '66666666-6666-4666-8666-666666666666',
    reference: 'ABCD-2345',
    closedMinutes: 12,
    backCents: 1_000,
    refunded: false,
  };
  const door = { ...MIXER, photos: [], booking };
  answer(door, { ...door, id: '33333333-3333-4333-8333-333333333333', booking: { ...booking, refunded: true } });
  show();
  await user.click(await screen.findByRole('button', { name: /^Refund \$10.* for 12 minutes$/ }));
  await wire.expectSent('staff-refund', {
    bookingId: booking.id,
    cents: 1_000,
    reason: 'The door stayed closed for 12 minutes',
    requestId: `incident:${door.id}`,
  });
  expect(screen.getByText('The time at the closed door has been refunded.')).toBeDefined();
});

test('without the permission for money the minutes at a closed door are named, and not offered to refund', async () => {
  const booking = {
    id: '66666666-6666-4666-8666-666666666666',
    reference: 'ABCD-2345',
    closedMinutes: 12,
    backCents: 1_000,
    refunded: false,
  };
  answer({ ...MIXER, photos: [], booking });
  show(false);
  expect(await screen.findByText('Refunding $10 for 12 minutes needs the “Money” permission.')).toBeDefined();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
});

test('a report of a customer says what it is about and is answered, lost property with what became of it', async () => {
  const lost = { ...MIXER, kind: 'lost' as const, description: 'A USB stick', reference: 'ABCD-2345', photos: [] };
  answer(lost, {
    ...MIXER,
    id: '33333333-3333-4333-8333-333333333333',
    kind: 'problem',
    category: 'sound',
    photos: ['a', 'b'],
  });
  wire.fail('staff-answer-incident', 500, 'No connection.');
  show();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Lost property');
  expect(second?.textContent).toContain('Sound');
  expect(second?.textContent).toContain('Show the 2 photos');
  await user.click(within(first ?? document.body).getByRole('button', { name: 'Answer' }));
  await fill(screen.getByLabelText('Your answer'), 'It is at the desk.');
  await user.selectOptions(screen.getByLabelText('Outcome'), 'Found');
  await press('Send answer');
  expect(await screen.findByText('No connection.')).toBeTruthy();
  wire.answer('staff-answer-incident', { state: 'in_progress' });
  await press('Send answer');
  const sent = { incidentId: lost.id, answer: 'It is at the desk.', state: 'in_progress', outcome: 'found' } as const;
  await wire.expectSent('staff-answer-incident', sent, sent);
  await wire.expectRequests('staff-incidents', 3);
});

test('the ratings have the average of each room and the newest words', async () => {
  const at = new Date('2031-03-01T00:00:00Z');
  wire.answerRows('staff_ratings', {
    rooms: [{ studioId: 'a', studioName: 'Studio A', count: 2, average: 4.5 }],
    ratings: [{ reference: 'ABCD-2345', studioName: 'Studio A', startTime: at, score: 4, words: 'Too warm', at }],
  });
  show();
  expect((await screen.findByText('4.5')).parentElement?.textContent).toContain('Studio A');
  expect(screen.getByText('“Too warm”')).toBeTruthy();
});
