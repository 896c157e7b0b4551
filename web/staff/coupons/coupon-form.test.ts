import { expect, it } from 'vitest';
import { UNREADABLE } from '#web/ui/form/use-schema-form.ts';
import { couponFields, couponFormSchema, type TypedCoupon } from './coupon-form.ts';

const typed = (fields: Partial<TypedCoupon>): TypedCoupon => ({
  code: 'party',
  discount_type: 'fixed',
  discount_value: '5',
  description: '',
  min_hours: '',
  max_uses: '',
  expires_at: '',
  per_user_limit: '',
  customer_email: '',
  valid_from: '',
  weekdays: [false, false, false, false, false, false, false],
  from_hour: '',
  until_hour: '',
  ...fields,
});
const getMessage = (fields: Partial<TypedCoupon>): string | undefined =>
  couponFormSchema.safeParse(typed(fields)).error?.issues[0]?.message;

it('empty optional values of a discount code are sent as null [spec 5.31]', () => {
  expect(couponFields(typed({}))).toEqual({
    code: 'party',
    discount_type: 'fixed',
    discount_value: 5,
    description: null,
    min_hours: null,
    max_uses: null,
    expires_at: null,
    per_user_limit: null,
    customer_email: null,
    valid_from: null,
    weekdays: null,
    from_hour: null,
    until_hour: null,
  });
});

it('the value is a number, and the expiry is the end of its day in Sydney [spec 5.31]', () => {
  const fields = { discount_value: '12.51', expires_at: '2026-12-31', min_hours: '1.5', max_uses: '3' };
  expect(couponFields(typed(fields))).toMatchObject({
    discount_value: 12.51,
    expires_at: '2026-12-31T12:59:59.999Z',
    min_hours: 1.5,
    max_uses: 3,
  });
});

it('every invalid field of a discount code has the message of the rules [spec 5.25, 5.26, 5.27, 9.12]', () => {
  expect(getMessage({ code: ' ' })).toBe('Code is required');
  expect(getMessage({ discount_type: 'gift' })).toBe('Discount type must be percentage or fixed');
  expect(getMessage({ discount_value: '5.555' })).toBe('Discount value has at most two decimals');
  expect(getMessage({ min_hours: '1.25' })).toBe('Minimum hours are whole or half hours');
  expect(getMessage({ discount_value: '' })).toBe('Discount value must be positive');
  expect(getMessage({ discount_value: '-3' })).toBe('Discount value must be positive');
  expect(getMessage({ discount_value: '100001' })).toBe('Discount value is too large');
  expect(getMessage({ discount_type: 'percentage', discount_value: '101' })).toBe('Discount value is too large');
  expect(getMessage({ min_hours: '0' })).toBe('Minimum hours must be positive');
  expect(getMessage({ max_uses: '1.5' })).toBe('Max uses must be a positive integer');
  expect(getMessage({ max_uses: '0' })).toBe('Max uses must be a positive integer');
});

it('invalid input is an error and never counts as empty', () => {
  expect(getMessage({ min_hours: UNREADABLE })).toBe('Minimum hours must be positive');
  expect(getMessage({ max_uses: UNREADABLE })).toBe('Max uses must be a positive integer');
  expect(getMessage({ expires_at: UNREADABLE })).toBe('Please enter a valid expiry date');
});

it('rules about days and hours are sent as numbers, and all days count as none', () => {
  const [on, off] = [true, false];
  expect(
    couponFields(
      typed({
        weekdays: [off, on, on, on, on, off, off],
        from_hour: '0',
        until_hour: '24',
        valid_from: '2026-12-01',
        customer_email: 'Alex@Example.com',
      }),
    ),
  ).toMatchObject({
    weekdays: [1, 2, 3, 4],
    from_hour: 0,
    until_hour: 24,
    valid_from: '2026-11-30T13:00:00.000Z',
    customer_email: 'alex@example.com',
  });
  expect(couponFields(typed({ weekdays: [on, on, on, on, on, on, on] }))).toMatchObject({ weekdays: null });
  const good = { discount_value: '5' };
  expect(getMessage({ ...good, from_hour: '9' })).toBe('Choose both hours, or neither');
  expect(getMessage({ ...good, until_hour: '9' })).toBe('Choose both hours, or neither');
  expect(getMessage({ ...good, from_hour: '0', until_hour: '24' })).toBe(
    'The hours must begin and end at different times',
  );
  expect(getMessage({ ...good, from_hour: '22', until_hour: '6' })).toBeUndefined();
  expect(getMessage({ ...good, customer_email: 'nobody' })).toBe('Please enter a valid email address');
  expect(getMessage({ ...good, valid_from: '2026-12-02', expires_at: '2026-12-01' })).toBe(
    'The code must not expire before its first day',
  );
  expect(getMessage({ ...good, per_user_limit: '0' })).toBe('Uses per customer must be a positive integer');
});
