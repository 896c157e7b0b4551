import { expect, test } from 'vitest';
import { describeReportState, mayRate, reportWindow } from './feedback.ts';

const DAY = 86_400_000;
// The night the clocks go forward in Sydney: days are counted as 24 hours.
const session = { start: new Date('2031-10-04T12:00:00Z'), end: new Date('2031-10-04T14:00:00Z') };
const after = (days: number): Date => new Date(session.end.getTime() + days * DAY);

test('a problem is reported until a week after the session, lost property until 30 days after', () => {
  expect(reportWindow(session, 'problem')).toEqual({ start: new Date('2031-10-04T11:45:00Z'), end: after(7) });
  expect(reportWindow(session, 'lost').end).toEqual(after(30));
});

test('a session is rated from its end for 30 days, and a rating changes for a week [spec 10.18]', () => {
  expect([-0.01, 0, 29.9, 30].map((days) => mayRate(session, null, after(days)))).toEqual([false, true, true, false]);
  expect([20, 26.9, 27].map((days) => mayRate(session, after(20), after(days)))).toEqual([true, true, false]);
});

test('the customer reads how far a report has come, and what became of lost property', () => {
  const states = (['open', 'in_progress', 'done'] as const).map((state) =>
    describeReportState({ state, outcome: null }),
  );
  expect(states).toEqual(['Sent to the team', 'Someone has read it', 'Solved']);
  expect(describeReportState({ state: 'done', outcome: 'not_found' })).toBe('Not found');
});
