import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import * as photos from '#web/data/photos/upload.ts';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { Toaster } from '#web/ui/toast.tsx';
import * as queries from './queries.ts';
import { Rooms } from './rooms.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('./queries.ts'), async (original) => ({
  ...(await original()),
  readRooms: vi.fn(),
  setRoom: vi.fn(),
  orderRooms: vi.fn(),
  readLocks: vi.fn(),
}));
const { readRooms, setRoom, orderRooms, readLocks } = vi.mocked(queries);
vi.mock(import('#web/data/photos/upload.ts'), async (original) => ({ ...(await original()), uploadPhoto: vi.fn() }));
const { uploadPhoto } = vi.mocked(photos);

const room = (name: string, active = true, opened = true) => ({
  id: `id-${name}`,
  upcoming: 2,
  opened,
  room: {
    name,
    title: 'The vinyl room',
    summary: '',
    description: '',
    features: ['Decks'],
    photos: ['drawn-a'],
    active,
    lockId: null,
    plug: null,
    openHours: Array.from({ length: 168 }, () => true),
  },
});
beforeEach(() => {
  readRooms.mockReset().mockResolvedValue([room('Studio A'), room('Studio B', false)]);
  setRoom.mockReset().mockResolvedValue({});
  orderRooms.mockReset().mockResolvedValue({});
  readLocks.mockReset().mockResolvedValue([
    { id: 'SP1', name: 'Front', batteryPercent: 91, room: 'Studio A' },
    { id: 'SP2', name: 'SP2', batteryPercent: null, room: 'Studio B' },
  ]);
  uploadPhoto.mockReset();
});
const show = () => renderPart(<Rooms />, { beside: <Toaster /> });
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));

test('a room that was never open is a draft, and one that was is retired', async () => {
  readRooms.mockResolvedValue([room('Studio A'), room('Studio B', false), room('Studio C', false, false)]);
  show();
  const rows = (await screen.findAllByRole('listitem')).map((one) => /Retired|Draft/.exec(one.textContent ?? '')?.[0]);
  expect(rows).toEqual([undefined, 'Retired', 'Draft']);
});

test('rooms are ordered by keyboard', async () => {
  show();
  (await screen.findByRole('button', { name: 'Down, Studio A' })).focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(orderRooms.mock.lastCall?.[0]).toEqual(['id-Studio B', 'id-Studio A']));
});

test('a room is edited: equipment by lines, an uploaded photo put first, and how many bookings stay', async () => {
  uploadPhoto.mockImplementation((_file, onProgress) => {
    onProgress(0.5);
    return Promise.resolve('new.jpg');
  });
  show();
  await press('Edit Studio A');
  expect(screen.getByText(/2 bookings are not over/)).toBeTruthy();
  await fill(screen.getByLabelText('Equipment'), 'Decks\n\n Lamps ');
  await user.upload(screen.getByLabelText('Add a photo'), new File(['x'], 'a.jpg', { type: 'image/jpeg' }));
  await press('Show first, photo 2');
  await press('Remove, photo 2');
  await user.click(screen.getByText(/^Opening hours/));
  await user.click(screen.getByRole('checkbox', { name: 'Monday, 3 AM to 4 AM' }));
  await press('Closed on Tuesday');
  await press('Save');
  expect(setRoom.mock.lastCall?.[0].room.openHours?.flatMap((open, at) => (open ? [] : at))).toEqual([
    27,
    ...Array.from({ length: 24 }, (_, hour) => 48 + hour),
  ]);
  await waitFor(() =>
    expect(setRoom.mock.lastCall?.[0]).toMatchObject({
      studioId: 'id-Studio A',
      room: { features: ['Decks', 'Lamps'], photos: ['new.jpg'], lockId: null, active: true },
    }),
  );
});

test('a refusal is shown at its field or in the form, and a photo that fails says why', async () => {
  setRoom.mockRejectedValueOnce(
    new AppError('invalid_request', 'Another room has this name.', 400, { field: 'room.name' }),
  );
  uploadPhoto.mockRejectedValue(new AppError('too_large', 'The photo is larger than 10 MB.', 413));
  show();
  await press('Add a room');
  await fill(screen.getByLabelText('Name'), 'Studio B');
  await user.upload(screen.getByLabelText('Add a photo'), new File(['x'], 'a.png', { type: 'image/png' }));
  expect(await screen.findByText('The photo is larger than 10 MB.')).toBeTruthy();
  await press('Save');
  expect(await screen.findByText('Another room has this name.')).toBeTruthy();
  expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true');
  setRoom.mockRejectedValueOnce(
    new AppError('invalid_request', 'There are these plugs: Studio A.', 400, { field: 'room.plug' }),
  );
  await fill(screen.getByLabelText('Plug of the lights'), 'Loft');
  await press('Save');
  expect(await screen.findByText('There are these plugs: Studio A.')).toBeTruthy();
  expect(setRoom.mock.lastCall?.[0]).toMatchObject({ room: { plug: 'Loft' } });
});

test('the lock is chosen among those of the lock service, and a refusal is shown at it', async () => {
  setRoom.mockRejectedValueOnce(
    new AppError('invalid_request', 'Studio B has this lock already.', 400, { field: 'room.lockId' }),
  );
  show();
  await press('Edit Studio A');
  const field = await screen.findByLabelText<HTMLSelectElement>('Lock');
  expect([...field.options].map(({ text }) => text)).toEqual([
    'As the operator has set it: Front (SP1)',
    'Front (SP1), battery 91 %',
    'SP2, used by Studio B',
  ]);
  await user.selectOptions(field, 'SP2');
  await press('Save');
  expect(setRoom.mock.lastCall?.[0]).toMatchObject({ room: { lockId: 'SP2' } });
  expect(await screen.findByText('Studio B has this lock already.')).toBeTruthy();
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('a lock that the lock service does not know stays chosen and is named as such', async () => {
  const [first] = [room('Studio A')];
  readRooms.mockResolvedValue([{ ...first, room: { ...first.room, lockId: 'OLD' } }]);
  show();
  await press('Edit Studio A');
  const field = await screen.findByLabelText<HTMLSelectElement>('Lock');
  expect([field.value, field.selectedOptions[0]?.text]).toEqual(['OLD', 'OLD: unknown to the lock service']);
});

test('while the locks cannot be loaded the room keeps its lock, and they can be loaded again', async () => {
  readRooms.mockResolvedValue([{ ...room('Studio A'), room: { ...room('Studio A').room, lockId: 'SP1' } }]);
  readLocks.mockRejectedValueOnce(new AppError('provider_unavailable', 'The lock service does not answer.', 503));
  show();
  await press('Edit Studio A');
  expect(await screen.findByText(/^SP1\. The locks could not be loaded/)).toBeTruthy();
  await press('Save');
  await waitFor(() => expect(setRoom.mock.lastCall?.[0]).toMatchObject({ room: { lockId: 'SP1' } }));
  await press('Edit Studio A');
  expect((await screen.findByLabelText<HTMLSelectElement>('Lock')).value).toBe('SP1');
});

test.each(['id-Studio B', 'Studio B'])('an alert leads to the form of its room, named as %s', async (name) => {
  renderPart(<Rooms />, { path: `/admin?tab=rooms&room=${encodeURIComponent(name)}` });
  expect(await screen.findByRole('dialog', { name: 'Studio B' })).toBeTruthy();
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('rooms that could not be loaded offer another try', async () => {
  readRooms.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0));
  show();
  await press('Try again');
  expect(await screen.findByText('Studio A')).toBeTruthy();
});
