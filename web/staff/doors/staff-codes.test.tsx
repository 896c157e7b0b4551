import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '#web/lib/errors.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import * as queries from './code-queries.ts';
import { StaffCodes } from './staff-codes.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
vi.mock('./code-queries.ts', () => ({ readStaffCodes: vi.fn(), makeStaffCode: vi.fn(), revokeStaffCode: vi.fn() }));
const calls = vi.mocked(queries);
beforeEach(() => {
  vi.resetAllMocks();
  vi.useFakeTimers({ now: new Date('2031-03-12T00:00:00Z'), toFake: ['Date'] });
});
afterEach(() => vi.useRealTimers());

const CODE: queries.StaffCode = {
  id: 'c1',
  name: 'Electrician',
  status: 'issued',
  startsAt: new Date('2031-03-12T09:00:00Z'),
  endsAt: new Date('2031-03-12T11:00:00Z'),
  studioName: 'Studio A',
  madeBy: 'Kim',
  usedAt: null,
};
const show = (codes: queries.StaffCode[], canRevoke = true): void => {
  calls.readStaffCodes.mockResolvedValue({ codes, canRevoke });
  renderPart(<StaffCodes rooms={[{ studioId: 'a', studioName: 'Studio A' }]} />);
};
const dialog = () => within(screen.getByRole('dialog'));

test('each code has its person, room, hours, state and last use, and only a valid one can be revoked', async () => {
  const usedAt = new Date('2031-03-12T09:05:00Z');
  show([
    CODE,
    { ...CODE, id: '2', status: 'revoked' },
    { ...CODE, id: '3', usedAt, endsAt: new Date('2031-03-11T23:00:00Z') },
  ]);
  const items = (await screen.findAllByRole('listitem')).map((item) => item.textContent);
  expect(items[0]).toContain('Electrician, Studio A Valid');
  expect(items[0]).toContain('Made by Kim.');
  expect([items[1], items[2]].map((text) => text?.includes('Revoked') || text?.includes('Ended'))).toEqual([
    true,
    true,
  ]);
  expect(items[2]).toContain('Last used Wed 12 Mar 2031, 8:05 pm.');
  expect(screen.getAllByRole('button', { name: /^Revoke/ })).toHaveLength(1);
});

test('a code is revoked after a question', async () => {
  show([CODE]);
  await user.click(await screen.findByRole('button', { name: 'Revoke the code of Electrician' }));
  expect(calls.revokeStaffCode).not.toHaveBeenCalled();
  await user.click(dialog().getByRole('button', { name: 'Revoke the code' }));
  expect(calls.revokeStaffCode).toHaveBeenCalledExactlyOnceWith('c1');
});

test('where the lock cannot remove codes there is no button', async () => {
  show([CODE], false);
  await screen.findByText('Valid');
  expect(screen.queryByRole('button', { name: /^Revoke/ })).toBeNull();
});

test.each([
  [true, false],
  [false, true],
])(
  'the form says that a code works for at most 24 hours where locks can remove codes: %s → %s',
  async (canRevoke, said) => {
    show([], canRevoke);
    await user.click(await screen.findByRole('button', { name: 'Make a code' }));
    expect(dialog().queryByText(/at most 24 hours/) !== null).toBe(said);
  },
);

test('a code is made for hours in Sydney and shown once; bookings in the way are named', async () => {
  show([]);
  calls.makeStaffCode.mockRejectedValueOnce(
    new AppError('slot_taken', 'A booking is in the way. Move or cancel first.', 409, {
      bookings: [{ reference: 'ABCD-2345' }],
    }),
  );
  await user.click(await screen.findByRole('button', { name: 'Make a code' }));
  await user.click(dialog().getByRole('button', { name: 'Make the code' }));
  expect(await dialog().findByText('Say whom it is for.')).toBeTruthy();
  await fill(dialog().getByLabelText('For whom'), 'Electrician');
  await user.click(dialog().getByRole('button', { name: 'Make the code' }));
  expect(await dialog().findByText('A booking is in the way. Move or cancel first. ABCD-2345')).toBeTruthy();
  calls.makeStaffCode.mockResolvedValue({ codeId: 'c1', pin: '123456' });
  await user.click(dialog().getByRole('button', { name: 'Make the code' }));
  expect(await dialog().findByText('123456')).toBeTruthy();
  const sent = {
    studioId: 'a',
    name: 'Electrician',
    startTime: '2031-03-11T22:00:00.000Z',
    endTime: '2031-03-12T01:00:00.000Z',
    requestId: expect.any(String),
  };
  expect(calls.makeStaffCode.mock.calls).toEqual([[sent], [sent]]);
  await user.click(dialog().getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('123456')).toBeNull();
});

test('codes that could not be loaded can be read again', async () => {
  calls.readStaffCodes.mockRejectedValueOnce(new AppError('offline', 'No connection.', 0));
  renderPart(<StaffCodes rooms={[]} />);
  expect(await screen.findByText('No connection.')).toBeTruthy();
  calls.readStaffCodes.mockResolvedValue({ codes: [], canRevoke: true });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No codes in the last week.')).toBeTruthy();
});
