import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { isReference, SearchForm } from './search-form.tsx';

test.each([
  ['ABCD-2345', true],
  ['abcd2345', true],
  ['Jeanette', false],
  ['alex@example.com', false],
  ['0477123987', false],
])('%s is a reference: %s', (text, is) => expect(isReference(text)).toBe(is));

test('the search opens a booking by its reference, and else looks for customers', async () => {
  const [onBooking, onCustomers] = [vi.fn(), vi.fn()];
  renderPart(<SearchForm words="" onBooking={onBooking} onCustomers={onCustomers} />);
  for (const words of [' abcd-2345 ', ' 0400 000 ']) {
    await fill(screen.getByLabelText('Reference, name, email or phone'), words);
    await user.click(screen.getByRole('button', { name: 'Search' }));
  }
  expect([onBooking.mock.calls, onCustomers.mock.calls]).toEqual([[['abcd-2345']], [['0400 000']]]);
});
