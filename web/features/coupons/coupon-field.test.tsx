import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { CouponField } from './coupon-field.tsx';
import * as wire from '#web/data/testing/wire.ts';
import type { CouponState } from './use-coupon.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
beforeEach(() => vi.resetAllMocks());

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;

const ALWAYS = { weekdays: null, fromHour: null, untilHour: null, worksWhen: null };
const SLOTS = [18, 19, 20].map((hour) => ({ date: '2031-03-04', hour }));
const HALF = { code: 'HALF', discountType: 'percentage', discountValue: 50, minHours: 2, hours: ALWAYS } as const;
/** The answer of the database about the code. */
const ANSWER = {
  is_valid: true,
  code: 'HALF',
  discount_type: 'percentage',
  discount_value: 50,
  min_hours: 2,
  weekdays: null,
  from_hour: null,
  until_hour: null,
  works_when: null,
};
const none: CouponState = {
  applied: null,
  unfit: null,
  checking: null,
  unsure: null,
  lost: null,
  wire: null,
  apply: vi.fn(),
  remove: vi.fn(),
  refuse: vi.fn(),
  lookAgain: vi.fn(),
};
const show = (state: Partial<CouponState>, folded = false) =>
  renderPart(<CouponField slots={SLOTS} coupon={{ ...none, ...state }} folded={folded} />);

test('a code is refused at its field, and an accepted one is applied and announced', async () => {
  const apply = vi.fn();
  show({ apply });
  await press('Apply');
  expect(await alert()).toBe('Coupon code cannot be empty');
  expect(toast).not.toHaveBeenCalled();
  await fill(field('Coupon code'), ' half ');
  wire.answerRows('validate_discount_code', [{ is_valid: false, error_message: 'This code has expired.' }]);
  await press('Apply');
  await waitFor(async () => expect(await alert()).toBe('This code has expired.'));
  wire.fail('validate_discount_code', 0);
  await press('Apply');
  await waitFor(async () => expect(await alert()).toBe('Failed to validate coupon'));
  wire.answerRows('validate_discount_code', [ANSWER]);
  await press('Apply');
  await waitFor(() => expect(apply).toHaveBeenCalledWith(HALF));
  expect(wire.sentTo('validate_discount_code').at(-1)?.body).toEqual({
    code_input: 'HALF',
    booking_hours: 3,
    booking_start: '2031-03-04T07:00:00.000Z',
    booking_end: '2031-03-04T10:00:00.000Z',
  });
  expect(toast).toHaveBeenLastCalledWith({ title: 'Coupon Applied!', description: '50% off' });
});

test('the coupon field shows a code in each of its states', async () => {
  const { unmount } = show({ checking: 'HALF' });
  expect(screen.getByRole('status').textContent).toBe('Checking your code HALF');
  unmount();

  const lookAgain = vi.fn();
  const remove = vi.fn();
  const unsure = show({ unsure: 'HALF', lookAgain, remove });
  expect(await alert()).toContain('We couldn’t check your code HALF just now.');
  await press('Try again');
  await press('Continue without it');
  expect([lookAgain, remove].map((mock) => mock.mock.calls.length)).toEqual([1, 1]);
  unsure.unmount();

  const short = show({ unfit: { coupon: HALF, why: 'needs at least 2 hours' } });
  expect(screen.getByText('needs at least 2 hours')).toBeTruthy();
  short.unmount();

  const applied = show({ applied: HALF, remove });
  expect(screen.getByText('50% off')).toBeTruthy();
  await press('Remove the code HALF');
  expect(remove).toHaveBeenCalledTimes(2);
  applied.unmount();

  show({ lost: { code: 'HALF', message: 'This code has expired.' } }, true);
  expect(field('Coupon code').value).toBe('HALF');
  expect(await alert()).toBe('This code has expired.');
  await fill(field('Coupon code'), 'OTHER');
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a folded coupon field opens with the focus in it', async () => {
  show({}, true);
  expect(screen.queryByLabelText('Coupon code')).toBeNull();
  await press('Add a coupon code');
  expect(document.activeElement).toBe(field('Coupon code'));
});
