import { describe, expect, test } from 'vitest';
import { createFakeDatabase } from '#tests/support/fake-database.ts';
import { countCouponGuess } from './count-coupon-guess.ts';
import { servicesWith } from '#tests/support/providers/services.ts';

describe('tries of a coupon code', () => {
  test('pass while the database admits them, counted for the person and the address', async () => {
    const { db, values } = createFakeDatabase({ wait: null });
    await countCouponGuess(servicesWith({ db }), 'me', '203.0.113.7');
    expect(values).toEqual([['me', '203.0.113.7']]);
  });

  test.each([
    [{ wait: 12 }, 12],
    [{ wait: 1 }, 1],
    [null, 60],
  ])('are refused with the seconds to wait: %j means %i', async (row, retryAfter) => {
    const { db } = createFakeDatabase(row);
    await expect(countCouponGuess(servicesWith({ db }), 'me', '')).rejects.toMatchObject({
      code: 'too_many_requests',
      message: 'Too many attempts. Please try again in a minute.',
      details: { retryAfter },
    });
  });
});
