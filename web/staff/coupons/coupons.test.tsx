import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { SEE_FIELD, toast } from '#web/ui/toast.tsx';
import { DiscountForm } from './discount-form.tsx';
import * as queries from './queries.ts';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('./queries.ts', () => ({ saveDiscountCode: vi.fn() }));
const calls = vi.mocked(queries);
beforeEach(() => vi.resetAllMocks());

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const press = (name: string) => user.click(screen.getByRole('button', { name }));
const alert = async () => (await screen.findByRole('alert')).textContent;

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
