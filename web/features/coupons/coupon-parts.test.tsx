import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { CouponField } from './coupon-field.tsx';
import { DiscountForm } from './discount-form.tsx';
import * as queries from './queries.ts';
import type { CouponState } from './use-coupon.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('./queries.ts', () => ({ validateCoupon: vi.fn(), saveDiscountCode: vi.fn() }));
const calls = vi.mocked(queries);
beforeEach(() => vi.resetAllMocks());

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;

const HALF = { code: 'HALF', discountType: 'percentage', discountValue: 50, minHours: 2 } as const;
const none: CouponState = {
  applied: null,
  tooShort: null,
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
  renderPart(<CouponField hours={3} coupon={{ ...none, ...state }} folded={folded} />);

test('a code is refused at its field, and an accepted one is applied and announced', async () => {
  const apply = vi.fn();
  show({ apply });
  await press('Apply');
  expect(await alert()).toBe('Coupon code cannot be empty');
  expect(toast).not.toHaveBeenCalled();
  await fill(field('Coupon code'), ' half ');
  calls.validateCoupon.mockRejectedValueOnce(new Error('This code has expired.'));
  await press('Apply');
  await waitFor(async () => expect(await alert()).toBe('This code has expired.'));
  calls.validateCoupon.mockRejectedValueOnce(new TypeError('Failed to fetch'));
  await press('Apply');
  await waitFor(async () => expect(await alert()).toBe('Failed to validate coupon'));
  calls.validateCoupon.mockResolvedValueOnce(HALF);
  await press('Apply');
  await waitFor(() => expect(apply).toHaveBeenCalledWith(HALF));
  expect(calls.validateCoupon).toHaveBeenLastCalledWith('HALF', 3);
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
  expect([lookAgain, remove].map((one) => one.mock.calls.length)).toEqual([1, 1]);
  unsure.unmount();

  const short = show({ tooShort: HALF });
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

test('each invalid field of a discount code has the message of the rules, one at a time', async () => {
  renderPart(<DiscountForm code={null} onDone={vi.fn()} />);
  await press('Create Code');
  expect(await alert()).toBe('Code is required');
  await fill(field('Code'), 'party');
  for (const [label, bad, good, message] of [
    ['Value', '', '5', 'Discount value must be positive'],
    ['Value', '101', '5', 'Discount value is too large'],
    ['Minimum hours (optional)', '0', '', 'Minimum hours must be positive'],
    ['Max uses (optional)', '1.5', '', 'Max uses must be a positive integer'],
  ] as const) {
    await fill(field(label), bad);
    await press('Create Code');
    await waitFor(async () => expect(await alert()).toBe(message));
    expect(toast).toHaveBeenLastCalledWith({ title: 'Validation Error', description: SEE_FIELD, tone: 'bad' });
    await fill(field(label), good);
  }
  expect(calls.saveDiscountCode).not.toHaveBeenCalled();
});

test('a discount code is created in capitals, and each refusal of the database has its words', async () => {
  const done = vi.fn();
  renderPart(<DiscountForm code={null} onDone={done} />);
  await fill(field('Code'), 'party');
  await user.selectOptions(field('Discount type'), 'Fixed');
  await fill(field('Value'), '12.50');
  await fill(field('Minimum hours (optional)'), '1.5');
  for (const [code, text] of [
    ['23505', 'this code already exists.'],
    ['23514', 'it has already been used more times than the new maximum.'],
    ['22003', 'a number is too large.'],
    ['42501', 'only administrators can do this.'],
  ] as const) {
    calls.saveDiscountCode.mockRejectedValueOnce(Object.assign(new Error('x'), { code }));
    await press('Create Code');
    await waitFor(async () => expect(await alert()).toBe(`Failed to save discount code: ${text}`));
    expect(toast).toHaveBeenLastCalledWith({
      title: 'Error',
      description: 'Failed to save discount code',
      tone: 'bad',
    });
  }
  calls.saveDiscountCode.mockResolvedValueOnce();
  await press('Create Code');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(calls.saveDiscountCode).toHaveBeenLastCalledWith(null, {
    code: 'PARTY',
    discount_type: 'fixed',
    discount_value: 12.5,
    description: null,
    min_hours: 1.5,
    max_uses: null,
    expires_at: null,
  });
  expect(toast).toHaveBeenLastCalledWith({ title: 'Discount code created successfully', description: 'PARTY' });
});

test('editing starts with the values of the code and saves it under its id', async () => {
  const code = {
    id: 'c1',
    code: 'PARTY',
    discount_type: 'fixed',
    discount_value: 15,
    description: 'For friends',
    min_hours: 2,
    max_uses: 10,
    current_uses: 3,
    expires_at: '2026-12-31T12:59:59.999Z',
    active: true,
    created_at: '2026-11-01T00:00:00Z',
  } as const;
  renderPart(<DiscountForm code={code} onDone={vi.fn()} />);
  expect(field('Expires (optional)').value).toBe('2026-12-31');
  expect(field('Max uses (optional)').value).toBe('10');
  calls.saveDiscountCode.mockResolvedValueOnce();
  await press('Save Code');
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ description: 'PARTY' })));
  expect(calls.saveDiscountCode).toHaveBeenCalledWith('c1', {
    code: 'PARTY',
    discount_type: 'fixed',
    discount_value: 15,
    description: 'For friends',
    min_hours: 2,
    max_uses: 10,
    expires_at: '2026-12-31T12:59:59.999Z',
  });
});
