import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Balance, balanceMove } from './move-balance.ts';

const paid = (finalCents: number): Balance => ({ finalCents, waivedCents: 0, owedCents: 0 });
const charge = { waive: false };

/** Moves a booking along a series of prices. Returns its last balance and the total charged, less refunds. */
function walk(start: number, path: readonly number[]) {
  let [balance, charged] = [paid(start), start];
  for (const total of path) {
    const { differenceCents, ...after } = balanceMove(balance, total, charge);
    // A payment at the provider is at least 50 cents.
    expect(Math.abs(differenceCents) > 0 && Math.abs(differenceCents) < 50).toBe(false);
    [balance, charged] = [after, charged + differenceCents];
  }
  return { balance, charged };
}

describe('the balance of a booking that moves', () => {
  it.each([
    [
      'more by 49 cents stays owed',
      paid(1_000),
      1_049,
      { finalCents: 1_000, waivedCents: 49, owedCents: 49, differenceCents: 0 },
    ],
    [
      'more by 50 cents is charged',
      paid(1_000),
      1_050,
      { finalCents: 1_050, waivedCents: 0, owedCents: 0, differenceCents: 50 },
    ],
    [
      'less by 49 cents stays owed',
      paid(1_000),
      951,
      { finalCents: 951, waivedCents: 0, owedCents: -49, differenceCents: 0 },
    ],
    [
      'less by 50 cents goes back',
      paid(1_000),
      950,
      { finalCents: 950, waivedCents: 0, owedCents: 0, differenceCents: -50 },
    ],
    [
      'what is owed is charged with the next difference',
      { finalCents: 1_000, waivedCents: 49, owedCents: 49 },
      1_050,
      { finalCents: 1_050, waivedCents: 0, owedCents: 0, differenceCents: 50 },
    ],
    [
      'what is owed back goes with the next difference',
      { finalCents: 951, waivedCents: 0, owedCents: -49 },
      950,
      { finalCents: 950, waivedCents: 0, owedCents: 0, differenceCents: -50 },
    ],
    [
      'what was waived stays waived beside what is owed',
      { finalCents: 1_000, waivedCents: 249, owedCents: 49 },
      1_250,
      { finalCents: 1_050, waivedCents: 200, owedCents: 0, differenceCents: 50 },
    ],
  ])('%s', (_, before, total, after) => {
    expect(balanceMove(before, total, charge)).toEqual(after);
  });

  it('waives all of a difference, also what was owed before', () => {
    expect(balanceMove({ finalCents: 1_000, waivedCents: 49, owedCents: 49 }, 1_098, { waive: true })).toEqual({
      finalCents: 1_000,
      waivedCents: 98,
      owedCents: 0,
      differenceCents: 98,
    });
  });

  it('charges for 23 moves of 49 cents what they cost, within 49 cents', () => {
    const path = Array.from({ length: 23 }, (_, index) => 1_000 + 49 * (index + 1));
    expect(walk(1_000, path).charged).toBeGreaterThanOrEqual(2_127 - 49);
  });

  it('charges over any path of moves the direct price, within 49 cents', () => {
    const price = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 100_000 }));
    fc.assert(
      fc.property(price, fc.array(price, { minLength: 1, maxLength: 40 }), (start, path) => {
        const { balance, charged } = walk(start, path);
        const last = path.at(-1) ?? start;
        expect(Math.abs(charged - last)).toBeLessThan(50);
        expect(last).toBe(balance.finalCents + balance.waivedCents);
        expect(balance.owedCents).toBe(last - charged);
      }),
    );
  });
});
