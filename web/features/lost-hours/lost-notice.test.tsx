import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { specifiedRates } from '#tests/support/rates.ts';
import type { Slot } from '#rules/slots.ts';
import { slotEnd, slotStart } from '#rules/studio-time.ts';
import * as wire from '#web/data/testing/wire.ts';
import type { Taken } from '#web/data/finding/taken.ts';
import { answerTaken } from '#web/data/testing/taken-hours.ts';
import { renderPart, user } from '#web/ui/component-tests.ts';
import { LostNotice } from './lost-notice.tsx';

vi.mock('#web/data/live.ts', () => ({ useLive: () => true, pollWhile: () => false }));

const DAY = '2026-11-21';
const NOON = new Date('2026-11-20T01:00:00Z'); // the day before
const at = (hour: number): Slot => ({ date: DAY, hour });
const taken = (from: number, to: number): Taken => ({
  start: slotStart(DAY, from) ?? NOON,
  end: slotEnd(DAY, to),
  status: 'confirmed',
  mine: false,
});
const lost = {
  studioId: 'a',
  slots: [at(19), at(20)],
  note: 'Someone else has just booked 7 pm on 21 Nov. Please choose other hours.',
  at: new Date('2026-11-20T07:42:00Z'),
};
const studios = [
  { id: 'a', name: 'Studio A', rates: specifiedRates },
  { id: 'b', name: 'Studio B', rates: specifiedRates },
];

/** Renders the notice while these hours are taken. */
function show(hours: Record<string, readonly Taken[]>, onTake = vi.fn()) {
  answerTaken(hours);
  renderPart(<LostNotice lost={lost} studios={studios} userId={null} now={NOON} onTake={onTake} />);
  return onTake;
}
const offers = async () => (await screen.findAllByRole('listitem')).map((item) => item.textContent);

test('says what was lost and when, and offers the nearest hours with room, day and price; one press takes them', async () => {
  const onTake = show({ a: [taken(19, 19)] });
  expect(screen.getByRole('region', { name: 'Lost hours' }).textContent).toContain(lost.note);
  expect(screen.getByText('We noticed at 6:42 pm, Sydney time.')).toBeTruthy();
  expect(await offers()).toEqual([
    '8 pm to 10 pm $138 Studio A, Sat 21 Nov 2026',
    '5 pm to 7 pm $128 Studio A, Sat 21 Nov 2026',
    '7 pm to 9 pm $138 Studio B, Sat 21 Nov 2026',
  ]);
  expect(screen.getByRole('status').textContent).toBe('The nearest free 2 hours:');
  await user.click(screen.getByRole('button', { name: /Studio B/ }));
  expect(onTake).toHaveBeenCalledWith({ studioId: 'b', slots: lost.slots });
});

test('says so when the lost hours are free again, and gives them back', async () => {
  const onTake = show({ b: [taken(0, 23)] });
  await user.click(await screen.findByRole('button', { name: 'Take them back' }));
  expect(screen.getByRole('status').textContent).toBe('Good news: the hours you chose are free again.');
  expect(onTake).toHaveBeenCalledWith(lost);
});

test('does not say when it noticed hours that a link asked for', async () => {
  answerTaken({ a: [taken(19, 19)] });
  renderPart(
    <LostNotice lost={{ ...lost, linked: true }} studios={studios} userId={null} now={NOON} onTake={vi.fn()} />,
  );
  expect(await offers()).toHaveLength(3);
  expect(screen.queryByText(/^We noticed/)).toBeNull();
});

test('says so when nothing of that length is free', async () => {
  const week: Taken = {
    ...taken(0, 23),
    start: new Date('2026-11-18T00:00:00Z'),
    end: new Date('2026-11-27T00:00:00Z'),
    status: 'closed',
  };
  show({ a: [week], b: [week] });
  expect(await screen.findByText('Nothing else is free for 2 hours within a day of that.')).toBeTruthy();
  expect(screen.queryByRole('list')).toBeNull();
});

test('offers nothing when the server cannot be reached', async () => {
  answerTaken({});
  wire.fail('bookings', 500);
  renderPart(<LostNotice lost={lost} studios={studios} userId={null} now={NOON} onTake={vi.fn()} />);
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe(''));
  expect(screen.queryByRole('button')).toBeNull();
});
