import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import type * as queries from './code-queries.ts';
import * as wire from '#web/data/testing/wire.ts';
import { StaffCodes } from './staff-codes.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true }));
beforeEach(() => {
  vi.resetAllMocks();
  vi.useFakeTimers({ now: new Date('2031-03-12T00:00:00Z'), toFake: ['Date'] });
});
afterEach(() => vi.useRealTimers());

const STUDIO = '55555555-5555-4555-8555-555555555555';
const CODE: queries.StaffCode = {
  id: '11111111-1111-4111-8111-111111111111',
  name: 'Electrician',
  status: 'issued',
  startsAt: new Date('2031-03-12T09:00:00Z'),
  endsAt: new Date('2031-03-12T11:00:00Z'),
  studioName: 'Studio A',
  madeBy: 'Kim',
  usedAt: null,
};
const show = (codes: queries.StaffCode[], canRevoke = true): void => {
  wire.answer('staff-access-codes', { codes, canRevoke });
  renderPart(<StaffCodes rooms={[{ studioId: STUDIO, studioName: 'Studio A' }]} />);
};
const dialog = () => within(screen.getByRole('dialog'));

test('each code has its person, room, hours, state and last use, and only a valid one can be revoked', async () => {
  const usedAt = new Date('2031-03-12T09:05:00Z');
  show([
    CODE,
    { ...CODE, id: '22222222-2222-4222-8222-222222222222', status: 'revoked' },
    { ...CODE, id: '33333333-3333-4333-8333-333333333333', usedAt, endsAt: new Date('2031-03-11T23:00:00Z') },
  ]);
  const items = (await screen.findAllByRole('listitem')).map((item) => item.textContent);
  expect(items[0]).toContain('Electrician, Studio A Valid');
  expect(items[0]).toContain('Created by Kim.');
  expect([items[1], items[2]].map((text) => text?.includes('Revoked') || text?.includes('Ended'))).toEqual([
    true,
    true,
  ]);
  expect(items[2]).toContain('Last used Wed 12 Mar 2031, 8:05 pm.');
  expect(screen.getAllByRole('button', { name: /^Revoke/ })).toHaveLength(1);
});

test('a code is revoked after a question', async () => {
  show([CODE]);
  await user.click(await screen.findByRole('button', { name: 'Revoke the code for Electrician' }));
  expect(wire.sent('staff-revoke-code')).toEqual([]);
  await user.click(dialog().getByRole('button', { name: 'Revoke code' }));
  await wire.expectSent('staff-revoke-code', { codeId: CODE.id });
  await wire.expectRequests('staff-access-codes', 2);
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
  async (canRevoke, shown) => {
    show([], canRevoke);
    await user.click(await screen.findByRole('button', { name: 'Create code' }));
    expect(dialog().queryByText(/at most 24 hours/) !== null).toBe(shown);
  },
);

test('a code is made for hours in Sydney and shown once; bookings in the way are named', async () => {
  show([]);
  wire.refuse('staff-access-code', 'slot_taken', {
    message: 'A booking is in the way. Move or cancel it first.',
    bookings: [{ reference: 'ABCD-2345' }],
  });
  await user.click(await screen.findByRole('button', { name: 'Create code' }));
  await user.click(dialog().getByRole('button', { name: 'Create code' }));
  expect(await dialog().findByText('Enter who the code is for.')).toBeTruthy();
  await fill(dialog().getByLabelText('Recipient'), 'Electrician');
  await user.click(dialog().getByRole('button', { name: 'Create code' }));
  expect(await dialog().findByText('A booking is in the way. Move or cancel it first. ABCD-2345')).toBeTruthy();
  wire.answer('staff-access-code', { codeId: CODE.id, pin: '123456' });
  await user.click(dialog().getByRole('button', { name: 'Create code' }));
  expect(await dialog().findByText('123456')).toBeTruthy();
  const sent = {
    studioId: STUDIO,
    name: 'Electrician',
    startTime: '2031-03-11T22:00:00.000Z',
    endTime: '2031-03-12T01:00:00.000Z',
    requestId: expect.any(String),
  };
  expect(wire.sent('staff-access-code')).toEqual([sent, sent]);
  await wire.expectRequests('staff-access-codes', 3);
  await user.click(dialog().getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('123456')).toBeNull();
});

test('codes that could not be loaded can be read again', async () => {
  wire.fail('staff-access-codes', 500, 'No connection.');
  renderPart(<StaffCodes rooms={[]} />);
  expect(await screen.findByText('No connection.')).toBeTruthy();
  wire.answer('staff-access-codes', { codes: [], canRevoke: true });
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('No codes in the last week.')).toBeTruthy();
});
