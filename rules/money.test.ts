import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centsToDollars, dollarsToCents, formatDollars, formatMoney } from './money.ts';

describe('money', () => {
  it.each([
    [0, '$0'],
    [5, '$0.05'],
    [5_900, '$59'],
    [5_950, '$59.50'],
    [99_999, '$999.99'],
    [102_000, '$1,020'],
    [123_456_789, '$1,234,567.89'],
    [-1_500, '-$15'],
  ])('of %i cents is written %s', (cents, text) => {
    expect(formatMoney(cents)).toBe(text);
  });

  it.each([-1, -0.01, 0.001, 1.005, 59.999, 1.0000001, Number.NaN, Infinity, -Infinity, 1e300])(
    'is not %d dollars',
    (dollars) => {
      expect(dollarsToCents(dollars)).toBeNull();
    },
  );

  it('in dollars is formatted with cents only where there are some', () => {
    expect([formatDollars(59), formatDollars(59.5), formatDollars(1020)]).toEqual(['$59', '$59.50', '$1,020']);
  });

  it('survives conversion to dollars and back, for large sums too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e13 }), (cents) => {
        expect(dollarsToCents(centsToDollars(cents))).toBe(cents);
      }),
    );
  });

  it('with a third decimal is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 1, max: 9 }), (cents, third) => {
        expect(dollarsToCents((cents * 10 + third) / 1_000)).toBeNull();
      }),
    );
  });

  it('is formatted so that it can be parsed again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (cents) => {
        const text = formatMoney(cents);
        expect(text).toMatch(/^\$\d{1,3}(,\d{3})*(\.\d{2})?$/);
        expect(dollarsToCents(Number(text.replace(/[$,]/g, '')))).toBe(cents);
      }),
    );
  });
});
