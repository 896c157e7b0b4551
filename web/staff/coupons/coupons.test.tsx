import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { watchSavedFiles } from '#web/ui/testing/saved-files.ts';
import { toast } from '#web/ui/toast.tsx';
import { DiscountCodes } from './discount-codes.tsx';
import { DiscountForm } from './discount-form.tsx';
import type * as queries from './queries.ts';
import * as wire from '#web/data/testing/wire.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
beforeEach(() => vi.resetAllMocks());

const NO_RULES = {
  per_user_limit: null,
  customer_email: null,
  valid_from: null,
  weekdays: null,
  from_hour: null,
  until_hour: null,
};
const CODE_ID = '22222222-2222-4222-8222-222222222222';
const BATCH: queries.GiftBatch = {
  id: '11111111-1111-4111-8111-111111111111',
  prefix: 'XMAS',
  created_at: '2020-11-01T00:00:00Z',
  discount_type: 'fixed',
  discount_value: 59,
  description: null,
  expires_at: '2020-12-31T12:59:59Z',
  codes: 20,
  used: 2,
  active: 18,
  sold: 100,
  discount: 18,
};
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;

test('each invalid field of a discount code has the message of the rules, one at a time [spec 5.25, 5.27, 5.29, 5.30, 5.31]', async () => {
  renderPart(<DiscountForm code={null} mayGive onDone={vi.fn()} />);
  await press('Create Code');
  expect(await alert()).toBe('Code is required');
  await fill(field('Code'), 'party');
  for (const [label, bad, good, message] of [
    ['Value', '', '5', 'Discount value must be positive'],
    ['Value', '101', '5', 'Discount value is too large'],
    ['Value', '5.555', '5', 'Discount value has at most two decimals'],
    ['Minimum hours (optional)', '0', '', 'Minimum hours must be positive'],
    ['Minimum hours (optional)', '1.25', '', 'Minimum hours are whole or half hours'],
    ['Max uses (optional)', '1.5', '', 'Max uses must be a positive integer'],
  ] as const) {
    await fill(field(label), bad);
    await press('Create Code');
    await waitFor(async () => expect(await alert()).toBe(message));
    expect(toast).toHaveBeenLastCalledWith({ title: 'Validation Error', description: message, tone: 'bad' });
    await fill(field(label), good);
  }
  expect(wire.sentTo('discount_codes')).toEqual([]);
});

test('a discount code is created in capitals, and each refusal of the database has its words [spec 8.38]', async () => {
  const done = vi.fn();
  renderPart(<DiscountForm code={null} mayGive onDone={done} />);
  await fill(field('Code'), 'party');
  await user.selectOptions(field('Discount type'), 'Fixed');
  await fill(field('Value'), '12.50');
  await fill(field('Minimum hours (optional)'), '1.5');
  for (const [code, text, constraint = ''] of [
    ['23505', 'this code already exists.'],
    ['23514', 'it has already been used more often than the new maximum.', 'discount_codes_never_over_used'],
    ['23514', 'these values do not match. Check them and try again.', 'discount_codes_dates'],
    ['22003', 'a number is too large.'],
    ['42501', 'only administrators can do this.'],
  ] as const) {
    const message = `the row violates check constraint "${constraint}"`;
    wire.refuseRows('discount_codes', code, message);
    await press('Create Code');
    await waitFor(async () => expect(await alert()).toBe(`Failed to save discount code: ${text}`));
    expect(toast).toHaveBeenLastCalledWith({
      title: 'Error',
      description: 'Failed to save discount code',
      tone: 'bad',
    });
  }
  wire.answerRows('discount_codes', null);
  await press('Create Code');
  await waitFor(() => expect(done).toHaveBeenCalledOnce());
  expect(wire.sentTo('discount_codes', 'POST').at(-1)?.body).toEqual({
    code: 'PARTY',
    discount_type: 'fixed',
    discount_value: 12.5,
    description: null,
    min_hours: 1.5,
    max_uses: null,
    expires_at: null,
    ...NO_RULES,
  });
  expect(toast).toHaveBeenLastCalledWith({ title: 'Discount code created successfully', description: 'PARTY' });
});

test('editing starts with the values of the code and saves it under its id [spec 7.31]', async () => {
  const code = {
    id: CODE_ID,
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
    ...NO_RULES,
    weekdays: [1, 2],
    from_hour: 9,
    until_hour: 17,
    works_when: 'Monday and Tuesday from 9 am to 5 pm',
  } as const;
  renderPart(<DiscountForm code={code} mayGive onDone={vi.fn()} />);
  expect(field('Expires (optional)').value).toBe('2026-12-31');
  expect(field('Max uses (optional)').value).toBe('10');
  wire.answerRows('discount_codes', [{ id: CODE_ID }]);
  await press('Save Code');
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith(expect.objectContaining({ description: 'PARTY' })));
  const [change] = wire.sentTo('discount_codes', 'PATCH');
  expect(change?.search.get('id')).toBe(`eq.${CODE_ID}`);
  expect(change?.body).toEqual({
    code: 'PARTY',
    discount_type: 'fixed',
    discount_value: 15,
    description: 'For friends',
    min_hours: 2,
    max_uses: 10,
    expires_at: '2026-12-31T12:59:59.999Z',
    ...NO_RULES,
    weekdays: [1, 2],
    from_hour: 9,
    until_hour: 17,
  });
});

test('the list shows rules, uses, what a code brought, and which codes work: one that has expired does not', async () => {
  const plain = {
    discount_type: 'percentage',
    discount_value: 20,
    description: null,
    min_hours: null,
    max_uses: null,
    expires_at: null,
    active: true,
    created_at: '2026-11-01T00:00:00Z',
    ...NO_RULES,
    works_when: null,
  } as const;
  wire.answerRows('discount_codes', [
    {
      ...plain,
      id: 'c1',
      code: 'QUIET',
      current_uses: 3,
      works_when: 'Monday to Thursday',
      customer_email: 'a@example.com',
    },
    { ...plain, id: 'c2', code: 'FRESH', current_uses: 0 },
    { ...plain, id: 'c3', code: 'OLD', current_uses: 0, expires_at: '2026-11-02T12:59:59.999Z' },
    { ...plain, id: 'c4', code: 'OFF', current_uses: 0, active: false },
  ]);
  wire.answerRows('discount_code_results', [{ coupon_id: 'c1', bookings: 3, sold: 240, discount: 60 }]);
  wire.answerRows('gift_batches', []);
  renderPart(<DiscountCodes mayGive />);
  expect(await screen.findByText('3 bookings')).toBeTruthy();
  for (const words of ['$240 in sales', '$60 off']) expect(screen.getByText(words)).toBeTruthy();
  const states = screen.getAllByRole('row').map((row) => /Active|Inactive|Expired/.exec(row.textContent ?? '')?.[0]);
  expect(states).toEqual([undefined, 'Active', 'Active', 'Expired', 'Inactive']);
  expect(wire.sentTo('discount_code_results').map(({ body }) => body)).toEqual([{ codes: ['c1'] }]);
  expect(screen.getByText('Monday to Thursday')).toBeTruthy();
  expect(screen.getByText('only for a@example.com')).toBeTruthy();
  expect(screen.getByText('4 total codes, 2 active')).toBeTruthy();
});

test('gift codes are made at once; another try after a lost answer names the same batch', async () => {
  wire.answerRows('discount_codes', []);
  wire.fail('gift_batches', 500);
  renderPart(<DiscountCodes mayGive />);
  expect(await screen.findByText('The gift codes could not be loaded.')).toBeTruthy();
  wire.answerRows('gift_batches', []);
  await press('Try again');
  expect(await screen.findByText('No gift codes yet.')).toBeTruthy();
  await press('Create gift codes');
  await fill(field('Number of codes'), '501');
  await fill(field('Value per code'), '59');
  await press('Create codes');
  expect(await alert()).toBe('Make 1 to 500 codes');
  await fill(field('Number of codes'), '20');
  await fill(field('Prefix'), 'xmas');
  wire.fail('make_gift_codes', 0);
  await press('Create codes');
  await waitFor(async () => expect(await alert()).toBe('The codes could not be created. Check your connection.'));
  wire.answerRows('make_gift_codes', null);
  await press('Create codes');
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith({ title: '20 gift codes created', description: 'XMAS' }));
  const [first, second] = wire.sentTo('make_gift_codes').map(({ body }) => body);
  expect(first).toEqual(second);
  expect(second).toEqual({
    batch: expect.any(String),
    prefix: 'XMAS',
    amount: 20,
    terms: {
      discount_type: 'fixed',
      discount_value: 59,
      description: null,
      expires_at: null,
    },
  });
  await wire.expectRequests('gift_batches', 4);
});

test('a batch is downloaded, and deactivated together', async () => {
  wire.answerRows('discount_codes', []);
  wire.answerRows('gift_batches', [BATCH]);
  wire.answerFile('staff-export-list', 'Code\r\n', 'text/csv; charset=utf-8');
  wire.answerRows('set_gift_batch_active', null);
  const savedFiles = watchSavedFiles();
  renderPart(<DiscountCodes mayGive />);
  await user.click(await screen.findByRole('button', { name: /^Download/ }));
  for (const words of ['2 of 20', '$100 in sales, $18 off', 'Dec 31, 2020, expired'])
    expect(screen.getByText(words)).toBeTruthy();
  await expect.poll(savedFiles).toEqual([{ name: 'gift-codes-XMAS.csv', type: 'text/csv', text: 'Code\r\n' }]);
  expect(wire.sent('staff-export-list')).toEqual([{ list: 'gift-codes', batchId: BATCH.id }]);
  await press('Deactivate XMAS, Nov 01, 2020');
  await wire.expectRequests('gift_batches', 2);
  expect(wire.sentTo('set_gift_batch_active').map(({ body }) => body)).toEqual([{ batch: BATCH.id, active: false }]);
});

test('without the permission “money” the form names the limit, and a refusal says which permission is missing', async () => {
  const message = 'You need the “Money” permission for codes of more than 50 % and for codes in dollars';
  wire.refuseRows('discount_codes', '42501', message, 'money');
  renderPart(<DiscountForm code={null} mayGive={false} onDone={vi.fn()} />);
  screen.getByText('Up to 50 percent. Higher values and dollar amounts need the “Money” permission.');
  await fill(field('Code'), 'FREE');
  await fill(field('Value'), '100');
  await user.click(screen.getByRole('button', { name: 'Create Code' }));
  await screen.findByText(`Failed to save discount code: ${message}.`);
});
