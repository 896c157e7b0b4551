import { screen, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
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
  uploadPhoto: vi.fn(),
  reportIncident: vi.fn(),
  changeIncident: vi.fn(),
  refundClosedDoor: vi.fn(),
}));
const calls = vi.mocked(queries);
beforeEach(() => {
  vi.resetAllMocks();
  calls.readIncidents.mockResolvedValue([]);
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
  photo: 'u1/x.jpg',
  createdAt: new Date('2031-03-01T00:00:00Z'),
  changedBy: null,
  changedAt: null,
};
const show = () => renderPart(<Incidents studios={STUDIOS} />);
const dialog = () => within(screen.getByRole('dialog'));
const press = (name: string) => user.click(screen.getByRole('button', { name }));

test('an incident has its room, state, reporter and time, and its photo on demand', async () => {
  const done = { state: 'done' as const, changedBy: 'Alex', changedAt: new Date('2031-03-02T00:00:00Z') };
  calls.readIncidents.mockResolvedValue([MIXER, { ...MIXER, ...done, id: 'i2', studioName: null, photo: null }]);
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
  calls.uploadPhoto.mockResolvedValue('u1/y.jpg');
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
  expect(calls.uploadPhoto).toHaveBeenCalledExactlyOnceWith('u1', photo);
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
  const door = { ...MIXER, photo: null, booking };
  calls.readIncidents.mockResolvedValue([door, { ...door, id: 'i2', booking: { ...booking, refunded: true } }]);
  show();
  await user.click(await screen.findByRole('button', { name: /^Refund \$10.* for 12 minutes$/ }));
  expect(calls.refundClosedDoor).toHaveBeenCalledExactlyOnceWith(door);
  expect(screen.getByText('The closed minutes are refunded.')).toBeDefined();
});
