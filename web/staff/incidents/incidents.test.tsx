import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { uploadReportPhoto } from '#web/data/photos/report-photo.ts';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Incidents } from './incidents.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('#web/data/session.tsx', () => ({ useSession: () => ({ user: { id: 'u1' } }) }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  readIncidents: vi.fn(),
  readPhoto: vi.fn(),
  reportIncident: vi.fn(),
  changeIncident: vi.fn(),
  answerIncident: vi.fn(),
  readRatings: vi.fn(),
  refundClosedDoor: vi.fn(),
}));
vi.mock(import('#web/data/photos/report-photo.ts'), async (original) => ({
  ...(await original()),
  uploadReportPhoto: vi.fn(),
}));
const calls = vi.mocked(queries);
const upload = vi.mocked(uploadReportPhoto);
beforeEach(() => {
  vi.resetAllMocks();
  calls.readIncidents.mockResolvedValue([]);
  calls.readRatings.mockResolvedValue({ rooms: [], ratings: [] });
});

const STUDIOS = [{ id: 'a', name: 'Studio A' }];
const MIXER: queries.Incident = {
  id: 'i1',
  studioId: 'a',
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
const show = (mayRefund = true) => renderPart(<Incidents studios={STUDIOS} mayRefund={mayRefund} />);
const dialog = () => within(screen.getByRole('dialog'));
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('an incident has its room, state, reporter and time, and its photo on demand', async () => {
  const done = { state: 'done' as const, changedBy: 'Alex', changedAt: new Date('2031-03-02T00:00:00Z') };
  calls.readIncidents.mockResolvedValue([MIXER, { ...MIXER, ...done, id: 'i2', studioName: null, photos: [] }]);
  calls.readPhoto.mockResolvedValue('data:image/jpeg;base64,AA==');
  show();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Studio A OpenBroken mixerReported Sat 1 Mar 2031, 11 am, Kim.');
  expect(second?.textContent).toContain('No room Done');
  expect(second?.textContent).toContain('Done since Sun 2 Mar 2031, 11 am, Alex.');
  await press('Show the photo');
  expect((await screen.findByRole('img')).getAttribute('alt')).toBe('Broken mixer');
  expect(calls.readPhoto).toHaveBeenCalledExactlyOnceWith('u1/x.jpg');
});

test('the state of an incident is changed', async () => {
  calls.readIncidents.mockResolvedValue([MIXER]);
  show();
  await user.selectOptions(await screen.findByLabelText('State'), 'In progress');
  expect(calls.changeIncident).toHaveBeenCalledExactlyOnceWith('i1', 'in_progress');
  expect(toast).toHaveBeenCalledWith({ title: 'State changed', description: 'In progress' });
});

test('an incident is reported with a photo, which is uploaded once although the report is sent again', async () => {
  upload.mockResolvedValue('u1/y.jpg');
  calls.reportIncident.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0));
  show();
  await press('Report an incident');
  await user.click(dialog().getByRole('button', { name: 'Report' }));
  expect(await dialog().findByText('Say what happened.')).toBeTruthy();
  await fill(dialog().getByLabelText('What happened'), 'Broken mixer');
  const photo = new File(['x'], 'x.jpg', { type: 'image/jpeg' });
  await user.upload(dialog().getByLabelText('Photo'), photo);
  await user.click(dialog().getByRole('button', { name: 'Report' }));
  expect(await dialog().findByText('No connection.')).toBeTruthy();
  await user.click(dialog().getByRole('button', { name: 'Report' }));
  await vi.waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Incident reported' }));
  expect(upload).toHaveBeenCalledExactlyOnceWith('u1', photo);
  const sent = { studioId: 'a', description: 'Broken mixer', photo: 'u1/y.jpg', requestId: expect.any(String) };
  expect(calls.reportIncident.mock.calls).toEqual([[sent], [sent]]);
  expect(calls.reportIncident.mock.calls[0]?.[0].requestId).toBe(calls.reportIncident.mock.calls[1]?.[0].requestId);
});

test('no incidents say so, and incidents that could not be loaded can be read again', async () => {
  calls.readIncidents.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0));
  show();
  expect(screen.getByLabelText('Loading the incidents')).toBeTruthy();
  expect(await screen.findByText('No connection.')).toBeTruthy();
  await press('Try again');
  expect(await screen.findByText('No incidents. Report what is broken or has happened in a room.')).toBeTruthy();
});

test('the minutes at a closed door are refunded with one press, once', async () => {
  const booking = { id: 'b1', reference: 'ABCD-2345', closedMinutes: 12, backCents: 1_000, refunded: false };
  const door = { ...MIXER, photos: [], booking };
  calls.readIncidents.mockResolvedValue([door, { ...door, id: 'i2', booking: { ...booking, refunded: true } }]);
  show();
  await user.click(await screen.findByRole('button', { name: /^Refund \$10.* for 12 minutes$/ }));
  expect(calls.refundClosedDoor).toHaveBeenCalledExactlyOnceWith(door);
  expect(screen.getByText('The closed minutes are refunded.')).toBeDefined();
});

test('without the permission for money the minutes at a closed door are named, and not offered to refund', async () => {
  const booking = { id: 'b1', reference: 'ABCD-2345', closedMinutes: 12, backCents: 1_000, refunded: false };
  calls.readIncidents.mockResolvedValue([{ ...MIXER, photos: [], booking }]);
  show(false);
  expect(await screen.findByText('To refund $10 for 12 minutes needs the permission for money.')).toBeDefined();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
});

test('a report of a customer says what it is about and is answered, lost property with what became of it', async () => {
  const lost = { ...MIXER, kind: 'lost' as const, description: 'A USB stick', reference: 'ABCD-2345', photos: [] };
  calls.readIncidents.mockResolvedValue([
    lost,
    { ...MIXER, id: 'i2', kind: 'problem', category: 'sound', photos: ['a', 'b'] },
  ]);
  calls.answerIncident.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0));
  show();
  const [first, second] = await screen.findAllByRole('listitem');
  expect(first?.textContent).toContain('Lost property');
  expect(second?.textContent).toContain('Sound');
  expect(second?.textContent).toContain('Show the 2 photos');
  await user.click(within(first ?? document.body).getByRole('button', { name: 'Answer' }));
  await fill(screen.getByLabelText('Your answer'), 'It is at the desk.');
  await user.selectOptions(screen.getByLabelText('What became of it'), 'Found');
  await press('Send the answer');
  expect(await screen.findByText('No connection.')).toBeTruthy();
  await press('Send the answer');
  const sent = { incidentId: 'i1', answer: 'It is at the desk.', state: 'in_progress', outcome: 'found' };
  expect(calls.answerIncident.mock.calls).toEqual([[sent], [sent]]);
});

test('the ratings have the average of each room and the newest words', async () => {
  const at = new Date('2031-03-01T00:00:00Z');
  calls.readRatings.mockResolvedValue({
    rooms: [{ studioId: 'a', studioName: 'Studio A', count: 2, average: 4.5 }],
    ratings: [{ reference: 'ABCD-2345', studioName: 'Studio A', startTime: at, score: 4, words: 'Too warm', at }],
  });
  show();
  expect((await screen.findByText('4.5')).parentElement?.textContent).toContain('Studio A');
  expect(screen.getByText('“Too warm”')).toBeTruthy();
});
