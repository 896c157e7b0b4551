import { cleanup, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { firstSettings } from '#rules/business/first-settings.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { GuestView } from './guest-view.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

const { NOW } = vi.hoisted(() => ({ NOW: new Date('2031-03-08T06:50:00Z') }));
vi.mock('#web/lib/use-now.ts', () => ({ useNow: () => NOW }));
const minutes = (count: number): Date => new Date(NOW.getTime() + count * 60_000);
const PAGE: queries.GuestPage = {
  state: 'invited',
  name: null,
  host: 'Alex',
  booking: { studioName: 'Studio A', startTime: minutes(10), endTime: minutes(130) },
  arrivalNotes: 'Bring headphones.',
  termsVersion: firstSettings.termsVersion,
  access: null,
};
const ACCESS: queries.GuestAccess = {
  own: true,
  pin: null,
  held: false,
  releaseAt: minutes(-5),
  worksFrom: minutes(5),
  worksUntil: minutes(130),
  openedAt: null,
  nextCodeAt: null,
  codesLeft: 20,
  codesPerBooking: 20,
  mode: 'bridge',
  singleUse: true,
};
const joined = (access: Partial<queries.GuestAccess> = {}): queries.GuestPage => ({
  ...PAGE,
  state: 'joined',
  name: 'Sam',
  access: { ...ACCESS, ...access },
});
const open = (): void => {
  renderPart(<GuestView token="t" showPin={(pin) => <p>{pin}</p>} />);
};
const show = (page: queries.GuestPage): void => {
  wire.answer('crew-page', page);
  open();
};
const wayIn = async () => (await screen.findByRole('region', { name: 'The way in' })).textContent;
const press = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }));
beforeEach(() => wire.answerRows('site_texts', firstSettings));

test('an invitation says who, where and when, and joins with a name and the rules, accepted in the version on the page', async () => {
  show(PAGE);
  expect(await screen.findByRole('heading', { level: 1, name: 'Alex invited you' })).toBeTruthy();
  expect(screen.getByText(/6 pm to 8 pm, Sydney time/)).toBeTruthy();
  expect(screen.getByText('Bring headphones.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open the map' }).getAttribute('href')).toContain('maps');
  expect(screen.queryByRole('region', { name: 'The way in' })).toBeNull();
  await press('Count me in');
  expect(await screen.findByText('What should we call you?')).toBeTruthy();
  await fill(screen.getByLabelText('Your first name'), ' Sam ');
  await press('Count me in');
  expect(await screen.findByText('Please accept the studio rules.')).toBeTruthy();
  await user.click(screen.getByRole('checkbox'));
  wire.refuse('crew-join', 'terms_required', { message: 'The terms have changed.' });
  await press('Count me in');
  expect(await screen.findByText('The terms have changed.')).toBeTruthy();
  await wire.expectRequests('site_texts', 2);
  wire.answer('crew-join', joined({ releaseAt: minutes(30) }));
  await press('Count me in');
  expect(await screen.findByRole('heading', { level: 1, name: 'You’re in, Sam' })).toBeTruthy();
  const joining = { token: 't', name: 'Sam', termsVersion: firstSettings.termsVersion };
  expect(wire.sent('crew-join')).toEqual([joining, joining]);
  expect(await wayIn()).toContain('Your PIN appears here at 6:20 pm');
});

test('the way in is the own PIN, then after its use another one; a shared PIN is the host’s to renew', async () => {
  show(joined({ pin: '123456' }));
  expect(await wayIn()).toMatch(/Your own PIN123456.*from 5:55 pm to 8 pm/);
});

test('a used PIN is replaced with a button that waits', async () => {
  show(joined({ codesLeft: 19 }));
  expect(await wayIn()).toBe('No PIN works right now. Make a new one to get in.New PIN');
  cleanup();
  show(joined({ codesLeft: 19, openedAt: new Date('2026-11-20T07:02:00Z') }));
  expect(await wayIn()).toContain('You’re in. The door opened at 6:02 pm and locks behind you.');
  wire.refuse('crew-code', 'code_wait', { message: 'Please wait 9 seconds.' });
  await press('New PIN');
  expect((await screen.findByRole('alert')).textContent).toBe('Please wait 9 seconds.');
  wire.answer('crew-code', joined({ pin: '654321' }));
  await press('New PIN');
  expect(await wayIn()).toContain('654321');
});

test('a first PIN is awaited, and a shared one named', async () => {
  show(joined());
  expect(await wayIn()).toContain('We’re getting your PIN from the lock.');
});

test('a shared PIN is called that, and is not for guests to renew', async () => {
  show(joined({ own: false, pin: null, codesLeft: 0, mode: 'hourly', singleUse: false }));
  expect(await wayIn()).toContain('When your host makes a new one, it appears here.');
  expect(screen.queryByRole('button', { name: 'New PIN' })).toBeNull();
});

test('a door that does not open says what the lock says, tells the team, and has a number to call', async () => {
  const help = { online: true, hasCode: false, wrongAt: null, openedAt: null, held: false, asked: false };
  wire.answer('door-help', help);
  show(joined({ pin: '123456', worksFrom: minutes(-5) }));
  await press('The door doesn’t open');
  expect(await screen.findByText(/The lock doesn’t have your PIN/)).toBeTruthy();
  expect(wire.sent('door-help')).toEqual([{ crew: 't' }]);
  wire.answer('door-help', { ...help, asked: true });
  await press('Ask for help now');
  expect(await screen.findByText('We’ve told the team. Stay at the door, we’re on it.')).toBeTruthy();
  expect(wire.sent('door-help')[1]).toEqual({ crew: 't', ask: true });
  expect(screen.getByRole('link', { name: /^(Call|Email) / })).toBeTruthy();
});

test('a link that has ended says why, and one that cannot be asked offers another try', async () => {
  wire.refuse('crew-page', 'invitation_ended');
  open();
  expect(await screen.findByRole('heading', { level: 1, name: 'This link has ended' })).toBeTruthy();
  expect(screen.getByText('This invitation was taken back.')).toBeTruthy();
});

test('an invitation that cannot be loaded offers another try', async () => {
  wire.fail('crew-page', 500);
  open();
  expect(await screen.findByText('Your invitation could not be loaded.')).toBeTruthy();
  wire.answer('crew-page', PAGE);
  await press('Try again');
  expect(await screen.findByRole('heading', { level: 1, name: 'Alex invited you' })).toBeTruthy();
});

test('a session that is over shows no PIN', async () => {
  show({ ...joined({ pin: null }), booking: { ...PAGE.booking, endTime: NOW } });
  expect(await screen.findByText(/This session is over/)).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'The way in' })).toBeNull();
});
