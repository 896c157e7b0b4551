import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancellationTerms, describeCancellation } from './cancellation.ts';
import { slotStart } from './studio-time.ts';

const DAY = 86_400_000;
const start = new Date('2026-11-21T08:00:00Z');
const before = (milliseconds: number): Date => new Date(start.getTime() - milliseconds);

describe('cancelling', () => {
  it('is free until exactly 24 hours before the start [spec 9.24]', () => {
    const until = before(DAY);
    expect(cancellationTerms(start, before(DAY), 24)).toEqual({ allowed: true, refund: 'full', until, freeHours: 24 });
    expect(cancellationTerms(start, before(DAY - 1), 24)).toEqual({
      allowed: false,
      refund: 'none',
      until,
      freeHours: 24,
    });
    expect(cancellationTerms(start, start, 24).allowed).toBe(false);
  });

  it.each([0, 1, 48])('is free until %i hours before the start when the booking froze that', (hours) => {
    const until = before(hours * 3_600_000);
    expect(cancellationTerms(start, until, hours)).toEqual({ allowed: true, refund: 'full', until, freeHours: hours });
    expect(cancellationTerms(start, new Date(until.getTime() + 1), hours).allowed).toBe(false);
  });

  it('is described by its date, or by why there is no refund; a booking that staff have moved away does not start soon', () => {
    expect(describeCancellation(start, before(DAY), 24)).toBe(
      'Free to cancel until 7 pm on Fri 20 Nov 2026, Sydney time.',
    );
    expect(describeCancellation(start, before(DAY - 1), 24)).toBe('Starts within 24 hours: no refund if you cancel.');
    expect(describeCancellation(start, before(1), 1)).toBe('Starts within 1 hour: no refund if you cancel.');
    const moved = new Date(start.getTime() + 5 * DAY);
    expect(describeCancellation(start, before(1), 24, moved)).toBe('The time to cancel for a refund is over.');
  });

  it.each([
    ['2026-10-04', '2026-10-03', 11],
    ['2027-10-03', '2027-10-02', 11],
    ['2026-04-05', '2026-04-04', 13],
    ['2027-04-04', '2027-04-03', 13],
  ])("counts elapsed hours: noon on %s is free to cancel until %s, %i o'clock", (date, dayBefore, hour) => {
    const noon = slotStart(date, 12) ?? start;
    expect(cancellationTerms(noon, start, 24).until).toEqual(slotStart(dayBefore, hour));
  });

  it('refunds all or nothing, and nothing after the deadline', () => {
    const time = fc.integer({ min: -3 * DAY, max: 30 * DAY });
    fc.assert(
      fc.property(time, time, (offset, other) => {
        const earlier = cancellationTerms(start, before(Math.max(offset, other)), 24);
        const later = cancellationTerms(start, before(Math.min(offset, other)), 24);
        expect(earlier.refund).toBe(earlier.allowed ? 'full' : 'none');
        expect(later.allowed && !earlier.allowed).toBe(false);
      }),
    );
  });
});
