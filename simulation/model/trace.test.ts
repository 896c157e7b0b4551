import { expect, test } from 'vitest';
import { createState, getConfirmed } from './state.ts';
import { readStep, writeStep } from './steps.ts';
import { followTrace, isAllowed, takeStep } from './trace.ts';

const initial = createState({ customers: 2, slots: 2, sessions: 2 });

/** One customer pays for an order of two slots and cancels one; the other waits, and gets it. */
const TRACE = [
  'hold(A,1,2)',
  'request-session(b1,s1)',
  'join-wait-list(B,1)',
  'create-session(s1)',
  'record-session(s1)',
  'time-ends(b1)',
  'pay(s1)',
  'settle(s1)',
  'cancel(b1)',
  'claim(B,1)',
  'refund(s1)',
  'hold(B,1)',
  'record-refund(s1)',
];

test('a trace of a payment, a cancellation and a claim is a path of the model', () => {
  const { state, followed } = followTrace(initial, TRACE.map(readStep));
  expect(followed).toBe(TRACE.length);
  expect(getConfirmed(state).map(({ b }) => b)).toMatchObject([{ customer: 0, slots: [1] }]);
  expect(state.sessions[0]?.shares.map(({ money }) => money)).toEqual(['returned', 'kept']);
});

test.each([
  ['a hold that is released while its session can be paid', 5, 'release(b1)'],
  ['a payment before the page was shown', 4, 'pay(s1)'],
  ['a claim of hours that are taken', 8, 'claim(B,1)'],
  ['a second refund of a share', 11, 'refund(s1)'],
])('%s is not a step of the model', (_, count, step) => {
  const steps = TRACE.slice(0, count).map(readStep);
  const { state, followed } = followTrace(initial, [...steps, readStep(step)]);
  expect(followed).toBe(count);
  expect(isAllowed(state, readStep(step))).toBe(false);
});

test('a step may leave out ids, which the result has', () => {
  const held = takeStep(initial, readStep('hold(B,2)'));
  expect(held && takeStep(held.state, readStep('request-session(b1)'))?.step).toEqual({
    name: 'request-session',
    booking: 0,
    session: 0,
  });
});

test('the text of a step can be read back', () => {
  for (const text of TRACE) expect(writeStep(readStep(text))).toBe(text);
});

test.each(['', 'hold', 'hold(A,1', 'hold(a,1)', 'hold(A,0)', 'hold(A,,1)', 'fly(A)', 'toString(A)', 'pay(x1)'])(
  'the text %j is not a step',
  (text) => {
    expect(() => readStep(text)).toThrow('the model has no step');
  },
);
