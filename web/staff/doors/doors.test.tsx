import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { Doors } from './doors.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
/** Returns the id of a room. The room's name is a letter from A to F. */
const idFrom = (name: string): string => `00000000-0000-4000-8000-${name.toLowerCase().padStart(12, '0')}`;
const door = (name: string, more: Partial<queries.Door> = {}): queries.Door => ({
  studioId: idFrom(name),
  studioName: name,
  lockId: `lock of ${name}`,
  known: true,
  batteryPercent: 80,
  isBatteryLow: false,
  online: null,
  heardAt: null,
  checkedAt: null,
  lastOpening: null,
  codes: [],
  ...more,
});
const START = new Date('2031-03-12T09:00:00Z');
const used = {
  lastOpening: { at: new Date('2031-03-12T09:06:00Z'), reference: 'ABCD-2345', startTime: START },
  codes: [{ reference: 'ABCD-2345', startsAt: START, endsAt: new Date('2031-03-12T11:00:00Z') }],
};
const lights = (name: string, more: Partial<queries.Lights> = {}): queries.Lights => ({
  plug: null,
  rooms: [{ studioId: idFrom(name), studioName: name }],
  isSetUp: true,
  on: false,
  ...more,
});
const show = (doors: queries.Door[], more: Partial<queries.DoorsAndLights> = {}): void => {
  wire.answer('staff-doors', { doors, canOpen: true, lights: [], lightsOn: null, ...more });
  renderPart(<Doors />);
};
const item = async (name: string) =>
  within((await screen.findByRole('heading', { name })).closest('li') ?? document.body);
beforeEach(() => {
  vi.resetAllMocks();
  wire.answer('staff-door-log', { entries: [] });
  wire.answer('staff-access-codes', { codes: [], canRevoke: true });
});

test('a door shows who opened it when, which code works until when, and a battery that needs a person', async () => {
  show([
    door('A', used),
    door('B', { batteryPercent: 12, isBatteryLow: true }),
    door('C', { lockId: null }),
    door('D', { known: false }),
  ]);
  const first = await item('A Battery 80 %');
  expect(first.getByText('ABCD-2345 opened it 6 min after the start: Wed 12 Mar 2031, 8:06 pm.')).toBeTruthy();
  expect(first.getByText('The code of ABCD-2345 works until 10 pm.')).toBeTruthy();
  const low = await item('B Battery 12 %, replace it');
  expect([low.getByText('No code has been used yet.'), low.getByText('No code works right now.')]).toHaveLength(2);
  expect((await item('C No lock')).queryByRole('button')).toBeNull();
  await item('D Lock unknown');
});

test('a door is opened with a reason only, and a lock that does not answer is reported in the form', async () => {
  show([door('A')]);
  await user.click(await screen.findByRole('button', { name: 'Open door of A' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.click(dialog.getByRole('button', { name: 'Open door' }));
  expect(await dialog.findByText('Enter why you are opening the door.')).toBeTruthy();
  expect(wire.sent('staff-open-door')).toEqual([]);
  await fill(dialog.getByLabelText('Reason (kept in the audit log)'), 'Locked out');
  wire.refuse('staff-open-door', 'provider_unavailable', { message: 'The lock did not answer.' });
  await user.click(dialog.getByRole('button', { name: 'Open door' }));
  expect(await dialog.findByText('The lock did not answer.')).toBeTruthy();
  wire.answer('staff-open-door', wire.exampleFrom('staff-open-door'));
  await user.click(dialog.getByRole('button', { name: 'Open door' }));
  await waitFor(() => expect(toast).toHaveBeenCalledWith({ title: 'Door opened', description: 'A' }));
  const opening = { studioId: idFrom('A'), reason: 'Locked out' };
  await wire.expectSent('staff-open-door', opening, opening);
});

test('without a bridge no door can be opened from here', async () => {
  show([door('A')], { canOpen: false });
  expect((await item('A Battery 80 %')).queryByRole('button')).toBeNull();
});

test('the lights are switched by hand, and their present state cannot be chosen again', async () => {
  const [a, b] = [lights('A').rooms, lights('B').rooms];
  show([], {
    lights: [
      lights('C', { plug: 'C', on: true }),
      lights('', { rooms: [...a, ...b] }),
      lights('D', { plug: 'Gone', isSetUp: false, on: null }),
    ],
  });
  await user.click(await screen.findByRole('button', { name: 'Turn on, A and B' }));
  await wire.expectSent('manual-power-control', { action: 'turn_on', studioId: idFrom('A') });
  await wire.expectRequests('staff-doors', 2);
  expect(screen.getByRole('button', { name: 'Turn off, A and B' })).toHaveProperty('disabled', true);
  expect(screen.getByRole('button', { name: 'Turn on, C' })).toHaveProperty('disabled', true);
  expect(screen.getByText(/The plug Gone is not set up/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: /, D$/ })).toBeNull();
});

test('systems that do not answer are named, and doors that cannot be read can be read again', async () => {
  wire.fail('staff-doors', 500, 'You are offline.');
  renderPart(<Doors />);
  expect(await screen.findByText('You are offline.')).toBeTruthy();
  wire.answer('staff-doors', {
    doors: [door('A', { known: null })],
    canOpen: true,
    lights: [lights('A', { on: null })],
    lightsOn: null,
  });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await item('A Battery 80 % Lock system not responding');
  expect(screen.getByText('Plug not responding')).toBeTruthy();
});

test('a door says whether its lock answers, and when it was last heard of', async () => {
  const heardAt = new Date('2031-03-12T08:00:00Z');
  const checkedAt = new Date('2031-03-12T09:00:00Z');
  show([
    door('A', { online: true, heardAt: checkedAt, checkedAt }),
    door('B', { online: false, heardAt, checkedAt }),
    door('C', { checkedAt }),
  ]);
  await item('A Online Battery 80 %');
  const lost = await item('B Offline Battery 80 %');
  expect(lost.getByText('Last contact Wed 12 Mar 2031, 7 pm. Checked Wed 12 Mar 2031, 8 pm.')).toBeTruthy();
  expect((await item('C Battery 80 %')).getByText('Checked Wed 12 Mar 2031, 8 pm.')).toBeTruthy();
});

const entry = {
  at: new Date('2031-03-12T09:06:00Z'),
  kind: 'code',
  studioId: idFrom('A'),
  studioName: 'A',
  reference: 'ABCD-2345',
  byCode: true,
  startTime: START,
  customerName: 'Alex Citizen',
  actor: null,
} as const;

test('the door log lists what the locks reported beside the bookings, of one room or all, and older entries on demand', async () => {
  const entries = [
    entry,
    { ...entry, kind: 'wrong_code', byCode: false } as const,
    { ...entry, kind: 'from_afar', reference: null, startTime: null, customerName: null, actor: 'Kim' } as const,
  ];
  const older = new Date('2031-03-01T00:00:00Z');
  const more = Array.from({ length: 97 }, () => ({ ...entry, at: older }));
  wire.answer('staff-door-log', { entries: [...entries, ...more] });
  show([door('A')]);
  const list = within(await screen.findByRole('region', { name: 'Door log' }));
  const lines = (await list.findAllByRole('listitem')).slice(0, 3).map((line) => line.textContent);
  expect(lines).toEqual([
    'Opened with a code, AWed 12 Mar 2031, 8:06 pm: ABCD-2345, Alex Citizen, 6 min after the start',
    'Wrong code entered, AWed 12 Mar 2031, 8:06 pm: during ABCD-2345, Alex Citizen, 6 min after the start',
    'Opened remotely by staff, AWed 12 Mar 2031, 8:06 pm: Kim',
  ]);
  wire.answer('staff-door-log', { entries: [] });
  await user.click(list.getByRole('button', { name: 'Show older entries' }));
  await wire.expectSent('staff-door-log', {}, { before: older.toISOString() });
  await user.selectOptions(list.getByLabelText('Room'), 'A');
  expect(await list.findByText('No lock activity in the last month.')).toBeTruthy();
  expect(wire.sent('staff-door-log').at(-1)).toEqual({ studioId: idFrom('A') });
});
