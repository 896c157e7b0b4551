import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RoomChange } from '#rules/business/room-change.ts';
import * as photos from '#web/data/photos/upload.ts';
import * as wire from '#web/data/testing/wire.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { Toaster } from '#web/ui/toast.tsx';
import { Rooms } from './rooms.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock(import('#web/data/photos/upload.ts'), async (original) => ({ ...(await original()), uploadPhoto: vi.fn() }));
const { uploadPhoto } = vi.mocked(photos);

const IDS = {
  'Studio A': '11111111-1111-4111-8111-111111111111',
  'Studio B': '22222222-2222-4222-8222-222222222222',
  'Studio C': '33333333-3333-4333-8333-333333333333',
} as const;
const room = (name: keyof typeof IDS, active = true, opened = true) => ({
  id: IDS[name],
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
  wire.answerRows('staff_rooms', [room('Studio A'), room('Studio B', false)]);
  answerLocks();
  uploadPhoto.mockReset();
});
const changes = () => wire.sent('staff-set-room');
const PHOTO = '0a1b2c3d-0000-4000-8000-000000000001.jpg';
const show = () => renderPart(<Rooms />, { sibling: <Toaster /> });
const answerLocks = () =>
  wire.answer('staff-locks', {
    locks: [
      { id: 'SP1', name: 'Front', batteryPercent: 91, room: 'Studio A' },
      { id: 'SP2', name: 'SP2', batteryPercent: null, room: 'Studio B' },
    ],
  });
const press = async (name: string) => user.click(await screen.findByRole('button', { name }));

test('a room that was never open is a draft, and one that was is retired', async () => {
  wire.answerRows('staff_rooms', [room('Studio A'), room('Studio B', false), room('Studio C', false, false)]);
  show();
  const rows = (await screen.findAllByRole('listitem')).map(
    (item) => /Retired|Draft/.exec(item.textContent ?? '')?.[0],
  );
  expect(rows).toEqual([undefined, 'Retired', 'Draft']);
});

test('rooms are ordered by keyboard', async () => {
  show();
  (await screen.findByRole('button', { name: 'Down, Studio A' })).focus();
  await user.keyboard('{Enter}');
  await wire.expectSent('staff-set-room', { order: [IDS['Studio B'], IDS['Studio A']] });
  await wire.expectRequests('staff_rooms', 2);
});

test('a room is edited: equipment by lines, an uploaded photo put first, and how many bookings stay', async () => {
  uploadPhoto.mockImplementation((_file, onProgress) => {
    onProgress(0.5);
    return Promise.resolve(PHOTO);
  });
  show();
  await press('Edit Studio A');
  expect(screen.getByText(/2 bookings have not ended/)).toBeTruthy();
  await fill(screen.getByLabelText('Equipment'), 'Decks\n\n Lamps ');
  await user.upload(screen.getByLabelText('Add photo'), new File(['x'], 'a.jpg', { type: 'image/jpeg' }));
  await press('Show first, photo 2');
  await press('Remove, photo 2');
  await user.click(screen.getByText(/^Opening hours/));
  await user.click(screen.getByRole('checkbox', { name: 'Monday, 3 AM to 4 AM' }));
  await press('Closed on Tuesday');
  await press('Save room');
  await wire.expectRequests('staff_rooms', 2);
  const [change] = changes();
  expect(change).toMatchObject({
    studioId: IDS['Studio A'],
    room: { features: ['Decks', 'Lamps'], photos: [PHOTO], lockId: null, active: true },
  });
  const { openHours } = (change as RoomChange).room;
  expect(openHours?.flatMap((open, index) => (open ? [] : index))).toEqual([
    27,
    ...Array.from({ length: 24 }, (_, hour) => 48 + hour),
  ]);
});

test('a refusal is shown at its field or in the form, and a photo that fails says why', async () => {
  wire.refuse('staff-set-room', 'invalid_request', { message: 'Another room has this name.', field: 'room.name' });
  uploadPhoto.mockRejectedValue(new Error('The photo is larger than 10 MB.'));
  show();
  await press('Add room');
  await fill(screen.getByLabelText('Name'), 'Studio B');
  await user.upload(screen.getByLabelText('Add photo'), new File(['x'], 'a.png', { type: 'image/png' }));
  expect(await screen.findByText('The photo is larger than 10 MB.')).toBeTruthy();
  await press('Save room');
  expect(await screen.findByText('Another room has this name.')).toBeTruthy();
  expect(screen.getByLabelText('Name').getAttribute('aria-invalid')).toBe('true');
  wire.refuse('staff-set-room', 'invalid_request', { message: 'Available plugs: Studio A.', field: 'room.plug' });
  await fill(screen.getByLabelText('Light plug'), 'Loft');
  await press('Save room');
  expect(await screen.findByText('Available plugs: Studio A.')).toBeTruthy();
  expect(changes().at(-1)).toMatchObject({ room: { plug: 'Loft' } });
});

test('the lock is chosen among those of the lock service, and a refusal is shown at it', async () => {
  wire.refuse('staff-set-room', 'invalid_request', {
    message: 'Studio B already uses this lock.',
    field: 'room.lockId',
  });
  show();
  await press('Edit Studio A');
  const field = await screen.findByLabelText<HTMLSelectElement>('Lock');
  expect([...field.options].map(({ text }) => text)).toEqual([
    'The operator’s default: Front (SP1)',
    'Front (SP1), battery 91 %',
    'SP2, used by Studio B',
  ]);
  await user.selectOptions(field, 'SP2');
  await press('Save room');
  expect(changes().at(-1)).toMatchObject({ room: { lockId: 'SP2' } });
  expect(await screen.findByText('Studio B already uses this lock.')).toBeTruthy();
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('a lock that the lock service does not know stays chosen and is named as such', async () => {
  const [first] = [room('Studio A')];
  wire.answerRows('staff_rooms', [{ ...first, room: { ...first.room, lockId: 'OLD' } }]);
  show();
  await press('Edit Studio A');
  const field = await screen.findByLabelText<HTMLSelectElement>('Lock');
  expect([field.value, field.selectedOptions[0]?.text]).toEqual(['OLD', 'OLD, not known to the lock service']);
});

test('while the locks cannot be loaded the room keeps its lock, and they can be loaded again', async () => {
  wire.answerRows('staff_rooms', [{ ...room('Studio A'), room: { ...room('Studio A').room, lockId: 'SP1' } }]);
  wire.refuse('staff-locks', 'provider_unavailable', { message: 'The lock service does not answer.' });
  show();
  await press('Edit Studio A');
  expect(await screen.findByText(/^SP1\. The locks could not be loaded/)).toBeTruthy();
  answerLocks();
  await press('Save room');
  await waitFor(() => expect(changes().at(-1)).toMatchObject({ room: { lockId: 'SP1' } }));
  await press('Edit Studio A');
  expect((await screen.findByLabelText<HTMLSelectElement>('Lock')).value).toBe('SP1');
});

test.each([IDS['Studio B'], 'Studio B'])('an alert leads to the form of its room, named as %s', async (name) => {
  renderPart(<Rooms />, { path: `/admin?tab=rooms&room=${encodeURIComponent(name)}` });
  expect(await screen.findByRole('dialog', { name: 'Studio B' })).toBeTruthy();
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('rooms that could not be loaded offer another try', async () => {
  wire.fail('staff_rooms', 500);
  show();
  await screen.findByRole('button', { name: 'Try again' });
  wire.answerRows('staff_rooms', [room('Studio A')]);
  await press('Try again');
  expect(await screen.findByText('Studio A')).toBeTruthy();
});
