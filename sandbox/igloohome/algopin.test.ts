import { describe, expect, it } from 'vitest';
import { readAlgopin } from './algopin.ts';
import { readDate } from './dates.ts';
import { type Code, DAY, decide, HOUR, liveCodes } from './lock-rules.ts';

const now = Date.parse('2026-11-21T07:20:00Z');
const hourly = (more: Record<string, unknown> = {}): ReturnType<typeof readAlgopin> =>
  readAlgopin(
    'SPA1X0001',
    'hourly',
    {
      variance: 1,
      startDate: '2026-11-21T18:00:00+11:00',
      endDate: '2026-11-21T20:00:00+11:00',
      accessName: 'b',
      ...more,
    },
    now,
  );

describe('dates', () => {
  it('are whole hours with an explicit offset', () => {
    expect(readDate('2026-11-21T18:00:00+11:00', 'hours')?.time).toBe(Date.parse('2026-11-21T07:00:00Z'));
    for (const wrong of [
      '2026-11-21T18:30:00+11:00',
      '2026-11-21T18:00:01+11:00',
      '2026-11-21T18:00:00Z',
      '2026-11-21T18:00:00.000+11:00',
      '2026-11-21 18:00:00+11:00',
      '2026-02-30T18:00:00+11:00',
      '2026-11-21T24:00:00+11:00',
      '2026-11-21T18:00:00',
      1_795_000_000,
    ])
      expect(readDate(wrong, 'hours'), String(wrong)).toBeNull();
  });
  it('may have minutes, never seconds, for codes through the bridge', () => {
    expect(readDate('2026-11-21T18:55:00+00:00', 'minutes')).not.toBeNull();
    expect(readDate('2026-11-21T18:55:30+00:00', 'minutes')).toBeNull();
  });
});

describe('a computed code', () => {
  it('has nine digits: the same for the same request, others for another variance', () => {
    const [first, repeated, other] = [hourly(), hourly(), hourly({ variance: 2 })];
    expect(first).toMatchObject({ pin: expect.stringMatching(/^[1-9]\d{8}$/) });
    expect(repeated).toEqual(first);
    expect(other).not.toMatchObject({ pin: typeof first === 'string' ? '' : first.pin });
  });
  it.each([
    [{ variance: 0 }, 'variance'],
    [{ variance: 4 }, 'variance'],
    [{ variance: '1' }, 'variance'],
    [{ accessName: '' }, 'accessName'],
    [{ accessName: 'x'.repeat(61) }, 'accessName'],
    [{ startDate: '2026-11-21T17:00:00+11:00' }, 'startDate'],
    [{ startDate: '2026-11-21T18:30:00+11:00' }, 'startDate'],
    [{ endDate: undefined }, 'endDate'],
    [{ endDate: '2026-11-21T18:00:00+11:00' }, 'endDate'],
    [{ endDate: '2026-12-19T19:00:00+11:00' }, 'endDate'],
  ])('for hours is refused with %j, and the refusal names the field', (more, field) => {
    expect(hourly(more)).toContain(field);
  });
  it('for hours may start in the current hour and last 672 hours', () => {
    expect(hourly({ endDate: '2026-12-19T18:00:00+11:00' })).toMatchObject({ kind: 'hourly' });
  });
  it('for days lasts 29 to 367 days and ends at the time of day it starts at', () => {
    const daily = (endDate: string): ReturnType<typeof readAlgopin> =>
      readAlgopin(
        'SPA1X0001',
        'daily',
        { variance: 1, startDate: '2026-11-21T18:00:00+11:00', endDate, accessName: 'b' },
        now,
      );
    expect(daily('2026-12-20T18:00:00+11:00')).toMatchObject({ kind: 'daily' });
    // Daylight saving ends in April, so the same number of days lasts an hour longer.
    expect(daily('2027-05-21T18:00:00+10:00')).toMatchObject({ kind: 'daily' });
    expect(daily('2026-12-19T18:00:00+11:00')).toContain('29 to 367');
    expect(daily('2027-11-24T18:00:00+11:00')).toContain('29 to 367');
    expect(daily('2027-01-21T19:00:00+11:00')).toContain('time of day');
  });
  it('for one use is valid for 24 hours, has five variances and no end date', () => {
    const body = { variance: 5, startDate: '2026-11-21T18:00:00+11:00', accessName: 'b' };
    const code = readAlgopin('SPA1X0001', 'onetime', body, now);
    expect(code).toMatchObject({
      startsAt: Date.parse('2026-11-21T07:00:00Z'),
      endsAt: Date.parse('2026-11-22T07:00:00Z'),
    });
    expect(readAlgopin('SPA1X0001', 'onetime', { ...body, endDate: body.startDate }, now)).toContain('endDate');
  });
});

describe('a lock', () => {
  const code = (more: Partial<Code>): Code => ({
    pin: '123456',
    kind: 'hourly',
    startsAt: 0,
    endsAt: 2 * HOUR,
    name: 'b',
    used: 0,
    ...more,
  });
  it('opens only inside the window: the start is included, the end is not', () => {
    const codes = [code({ startsAt: HOUR })];
    expect(decide(codes, '123456', HOUR - 1).reason).toBe('not yet valid');
    expect(decide(codes, '123456', HOUR).opened).toBe(true);
    expect(decide(codes, '123456', 2 * HOUR - 1).opened).toBe(true);
    expect(decide(codes, '123456', 2 * HOUR).reason).toBe('no longer valid');
    expect(decide(codes, '654321', HOUR).reason).toBe('wrong code');
  });
  it('accepts a one-time code once and an hourly code again', () => {
    expect(decide([code({ kind: 'onetime', used: 1 })], '123456', 1).reason).toBe('already used');
    expect(decide([code({ used: 1 })], '123456', 1).opened).toBe(true);
  });
  it('expires computed codes for more than a day that nobody used in the first 24 hours', () => {
    const long = code({ kind: 'daily', endsAt: 30 * DAY });
    expect(decide([long], '123456', DAY - 1).opened).toBe(true);
    expect(decide([long], '123456', DAY).reason).toBe('not used within 24 hours');
    expect(decide([{ ...long, used: 1 }], '123456', DAY).opened).toBe(true);
    expect(decide([{ ...long, kind: 'bridge' }], '123456', 2 * DAY).opened).toBe(true);
    expect(decide([code({ kind: 'permanent', endsAt: null })], '123456', 2 * DAY).opened).toBe(false);
  });
  it('counts only codes that may still open towards its limit', () => {
    expect(liveCodes([code({}), code({ endsAt: null })], 3 * HOUR)).toHaveLength(1);
  });
});
