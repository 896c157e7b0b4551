import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CallAnswer } from '#web/data/fetch-client.ts';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { SessionPanel } from './session-panel.tsx';

const mocks = vi.hoisted(() => ({ status: 'in', leaveTo: vi.fn(), toast: vi.fn() }));
vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));
vi.mock('#web/data/session.tsx', () => ({
  useSession: () => ({ status: mocks.status, user: mocks.status === 'in' ? { id: 'u' } : null }),
}));
vi.mock('#web/lib/leave.ts', () => ({ leaveTo: mocks.leaveTo }));
vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: mocks.toast }));

const session = {
  id: '55555555-5555-4555-8555-555555555555',
  token: null,
  start: new Date('2031-03-08T18:00:00+11:00'),
  end: new Date('2031-03-08T20:00:00+11:00'),
};
/** The answers of the server. Tests replace some of them. */
type Answers = {
  room: Pick<CallAnswer<'session-room'>, 'lights' | 'followed'>;
  lights: CallAnswer<'session-lights'>;
  quote: Partial<CallAnswer<'extend-booking'>>;
  extended: Partial<CallAnswer<'extend-booking'>>;
};
let answers: Answers;
const CARD = { id: 'pm_1', brand: 'visa', last4: '4242', expiryMonth: 12, expiryYear: 2034 };
const WAITS = { differenceCents: 6_900, waitsUntil: '2031-03-08T09:00:00Z', url: 'https://pay.example' };
const vibrate = vi.fn();
/** The bodies of the requests that added an hour, without requests for its price. */
const extensions = () => wire.sent('extend-booking').filter(({ preview }) => preview !== true);
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.clearAllMocks();
  mocks.status = 'in';
  answers = {
    room: { lights: true, followed: false },
    lights: { on: true, allowed: { on: true, off: true } },
    quote: { differenceCents: 6_900, payUntil: '2031-03-08T09:00:00Z' },
    extended: WAITS,
  };
  wire.answer('saved-cards', { cards: [] });
  wire.answerWith('session-room', () => ({ ...wire.exampleFrom('session-room'), ...answers.room }));
  wire.answerWith('session-lights', ({ on = null }) => (on === null ? answers.lights : { ...answers.lights, on }));
  wire.answerWith('extend-booking', ({ preview = false }) => ({
    differenceCents: 0,
    refundCents: 0,
    ...(preview ? answers.quote : answers.extended),
  }));
  Object.defineProperty(navigator, 'vibrate', { value: vibrate, configurable: true });
});
afterEach(() => void vi.useRealTimers());

const show = (minutesLeft: number, online = true) => {
  vi.setSystemTime(session.end.getTime() - minutesLeft * 60_000);
  return renderPart(<SessionPanel session={session} online={online} />);
};
const pass = (minutes: number) => act(() => vi.advanceTimersByTimeAsync(minutes * 60_000));
const button = (name: RegExp) => screen.findByRole<HTMLButtonElement>('button', { name });
/** Waits for a button that can be pressed. */
const ready = (name: RegExp) =>
  vi.waitFor(() => {
    const found = screen.getByRole<HTMLButtonElement>('button', { name });
    expect(found.disabled).toBe(false);
    return found;
  });

test('the lights of the room are switched with one button, and say when somebody else needs them [spec 10.16]', async () => {
  show(60);
  const off = await button(/^Lights off$/);
  await act(async () => off.click());
  await button(/^Lights on$/);
  expect(wire.sent('session-lights').at(-1)).toEqual({ bookingId: session.id, token: null, on: false });
});

test('lights that somebody else needs cannot be switched off, and a plug that does not answer is asked again', async () => {
  answers.lights = { on: true, allowed: { on: true, off: false } };
  const { unmount } = show(60);
  expect((await button(/Lights off/)).disabled).toBe(true);
  expect(screen.getByText(/Someone else needs these lights/)).toBeTruthy();
  unmount();
  answers.lights = { on: null, allowed: { on: true, off: true } };
  show(60);
  expect(await screen.findByText(/The lights don’t answer/)).toBeTruthy();
  answers.lights = { on: false, allowed: { on: true, off: true } };
  act(() => screen.getByRole('button', { name: 'Try again' }).click());
  await button(/Lights on/);
});

test('a phone whose clock is ahead shows from when the lights can be switched', async () => {
  wire.refuse('session-lights', 'too_early');
  show(60);
  expect(await screen.findByText(/^You can switch the lights from 5 minutes before your session\./)).toBeTruthy();
  expect(screen.queryByText(/don’t answer/)).toBeNull();
});

test('a further hour is one tap, at the price on the button: to the pay page, or at once where nothing is to be paid [spec 10.16]', async () => {
  const { unmount } = show(60);
  const stay = await ready(/Stay until 9 pm/);
  expect(stay.textContent).toContain('$69');
  await act(async () => stay.click());
  await vi.waitFor(() => expect(mocks.leaveTo).toHaveBeenCalledWith('https://pay.example'));
  expect(extensions()).toEqual([
    {
      bookingId: session.id,
      hours: 1,
      from: session.end.toISOString(),
      differenceCents: 6_900,
    },
  ]);
  unmount();
  answers = { ...answers, quote: {}, extended: {} };
  show(60);
  const button = await ready(/Stay until 9 pm/);
  await act(async () => button.click());
  await vi.waitFor(() =>
    expect(mocks.toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Yours until 9 pm' })),
  );
});

test('with a saved card the tap pays, at the price and with the card on the button; the pay page is one tap away too', async () => {
  wire.answer('saved-cards', { cards: [{ ...CARD, id: 'pm_0', last4: '0341', expiryYear: 2030 }, CARD] });
  answers.extended = { differenceCents: 6_900 };
  const { unmount } = show(60);
  const stay = await ready(/Stay until 9 pm.*\$69 with Visa ending in 4242/);
  await act(async () => stay.click());
  await vi.waitFor(() =>
    expect(mocks.toast).toHaveBeenCalledWith(
      expect.objectContaining({ title: 'Yours until 9 pm', description: expect.stringContaining('new code') }),
    ),
  );
  const request = { bookingId: session.id, hours: 1, from: session.end.toISOString(), differenceCents: 6_900 };
  expect(extensions()).toEqual([{ ...request, card: 'pm_1' }]);
  expect(mocks.leaveTo).not.toHaveBeenCalled();
  unmount();
  answers.extended = WAITS;
  show(60);
  const other = await ready(/Pay \$69 another way/);
  await act(async () => other.click());
  await vi.waitFor(() => expect(mocks.leaveTo).toHaveBeenCalledWith('https://pay.example'));
  await act(() => new Promise((drawn) => setTimeout(drawn, 50)));
  // The buttons are disabled while the browser leaves. After Back from the pay page they work again.
  expect(other.disabled).toBe(true);
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));
  await ready(/Pay \$69 another way/);
  expect(extensions()).toEqual([{ ...request, card: 'pm_1' }, request]);
});

test.each([
  ['declined', 'Your bank declined the card. Nothing was charged.'],
  ['needs_customer', 'Your bank wants you to confirm this payment, on the pay page. Nothing was charged.'],
  ['gone', 'This card isn’t saved any more. Nothing was charged.'],
] as const)('a card that is %s says so before the pay page', async (cardProblem, words) => {
  wire.answer('saved-cards', { cards: [CARD] });
  answers.extended = { ...WAITS, cardProblem };
  show(60);
  const stay = await ready(/Stay until 9 pm/);
  await act(async () => stay.click());
  expect((await screen.findByRole('alert')).textContent).toContain(words);
  expect(mocks.leaveTo).not.toHaveBeenCalled();
  const page = await button(/Go to the pay page/);
  act(() => page.click());
  expect(mocks.leaveTo).toHaveBeenCalledWith('https://pay.example');
  act(() => screen.getByRole('button', { name: 'Back' }).click());
  await button(/Stay until 9 pm/);
});

test('while an hour is paid its end and price stay, although the payment has moved the end of the session', async () => {
  answers.extended = { differenceCents: 6_900 };
  const { rerender } = show(60);
  const stay = await ready(/Stay until 9 pm/);
  const release = wire.pause('extend-booking');
  await act(async () => stay.click());
  const longer = { ...session, end: new Date(session.end.getTime() + 3_600_000) };
  rerender(<SessionPanel session={longer} online />);
  await act(() => new Promise((drawn) => setTimeout(drawn, 50)));
  expect(screen.getByRole<HTMLButtonElement>('button', { name: /Stay until/ }).textContent).toBe('Stay until 9 pm$69');
  expect((await button(/Stay until 9 pm/)).disabled).toBe(true);
  release();
  await ready(/Stay until 10 pm/);
  expect(mocks.toast).toHaveBeenCalledWith(expect.objectContaining({ title: 'Yours until 9 pm' }));
});

test('an hour that is being paid stays so when the warning of the end appears', async () => {
  show(11);
  const stay = await ready(/Stay until 9 pm/);
  wire.pause('extend-booking');
  await act(async () => stay.click());
  await pass(2);
  expect(screen.getByRole('status').textContent).toContain('Your session ends');
  expect((await button(/Stay until 9 pm/)).disabled).toBe(true);
});

test('no tap counts before the cards are known, and cards that cannot be read leave the pay page', async () => {
  wire.fail('saved-cards', 500);
  const release = wire.pause('saved-cards');
  show(60);
  const stay = await button(/Stay until 9 pm/);
  expect(stay.disabled).toBe(true);
  release();
  await vi.waitFor(() => expect(stay.disabled).toBe(false), { timeout: 5_000 });
  expect(stay.textContent).toBe('Stay until 9 pm$69');
});

test('a room that is taken afterwards says so, and a guest with the link is not asked to pay', async () => {
  wire.refuse('extend-booking', 'slot_taken');
  const { unmount } = show(60);
  expect(await screen.findByText(/The room isn’t free after you/)).toBeTruthy();
  unmount();
  mocks.status = 'out';
  show(60);
  await button(/Lights off/);
  expect(screen.queryByText(/Stay until/)).toBeNull();
  expect(screen.queryByText(/isn’t free/)).toBeNull();
});

test('the end is announced once, quietly, ten minutes before; after it only the lights are left for ten minutes [spec 10.16]', async () => {
  show(11);
  await button(/Lights off/);
  expect(screen.queryByText(/Your session ends/)).toBeNull();
  await pass(1);
  expect(screen.getByRole('status').textContent).toBe('Your session ends at 8 pm, Sydney time.');
  expect(screen.queryByRole('alert')).toBeNull();
  await pass(9);
  expect(vibrate).toHaveBeenCalledOnce();
  await pass(1);
  expect(screen.queryByText(/Your session ends/)).toBeNull();
  expect(screen.queryByText(/Stay until/)).toBeNull();
  expect(screen.getByRole('button', { name: 'Lights off' })).toBeTruthy();
  await pass(10);
  expect(screen.queryByRole('region')).toBeNull();
});

test('where somebody follows, the end is announced louder and three times [spec 10.16]', async () => {
  answers.room = { lights: false, followed: true };
  wire.refuse('extend-booking', 'slot_taken');
  show(10);
  expect((await screen.findByRole('alert')).textContent).toContain('10 minutes');
  expect(screen.getByRole('alert').textContent).toContain('Someone has the room right after you');
  await pass(5);
  expect(screen.getByRole('alert').textContent).toContain(' 5 minutes.');
  await pass(3);
  expect(screen.getByRole('alert').textContent).toContain(' 2 minutes.');
  // The server's first answer arrives after the first warning, which was therefore quiet.
  expect(vibrate.mock.calls.slice(-3)).toEqual(Array.from({ length: 3 }, () => [[500, 200, 500, 200, 500]]));
});

test('there is a sound only after a tap has asked for it', async () => {
  const started = vi.fn();
  const node = {
    connect: (to: unknown) => to,
    gain: { linearRampToValueAtTime: vi.fn() },
    start: started,
    stop: vi.fn(),
  };
  vi.stubGlobal(
    'AudioContext',
    class {
      currentTime = 0;
      destination = {};
      resume = () => Promise.resolve();
    },
  );
  for (const name of ['GainNode', 'OscillatorNode'])
    vi.stubGlobal(name, function make() {
      return node;
    });
  const { unmount } = show(11);
  await button(/Lights off/);
  await pass(2);
  expect(started).not.toHaveBeenCalled();
  unmount();
  show(11);
  const sound = await button(/Chime before the end/);
  act(() => sound.click());
  expect(started).toHaveBeenCalledTimes(2);
  await pass(2);
  expect(started).toHaveBeenCalledTimes(4);
  vi.unstubAllGlobals();
});

test('without a network nothing can be switched, and it says so', () => {
  show(60, false);
  expect(screen.getByText(/No connection: the lights can’t be switched/)).toBeTruthy();
  expect(wire.sent('session-room')).toEqual([]);
});
