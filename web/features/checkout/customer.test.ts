import { expect, test } from 'vitest';
import { checkCustomer } from './customer.ts';

const whole = { first: 'Alex', last: 'Citizen', oneName: false, email: 'alex@example.com', phone: '0400 000 000' };

test('a valid customer is returned trimmed', () => {
  expect(checkCustomer({ ...whole, email: ' alex@example.com ' })).toEqual({
    customer: { customerName: 'Alex Citizen', customerEmail: 'alex@example.com', customerPhone: '0400 000 000' },
  });
});

test('the first failing rule at checkout is returned with its field: names, then email, then phone [spec 5.20, 5.21]', () => {
  const failing = { ...whole, last: 'C', email: 'nowhere', phone: '12' };
  expect(checkCustomer({ ...failing, first: ' ' })).toEqual({
    problem: { field: 'first', message: 'Please enter your first and last name as shown on your Australian ID.' },
  });
  expect(checkCustomer(failing)).toEqual({
    problem: { field: 'last', message: 'Please enter valid first and last names.' },
  });
  expect(checkCustomer({ ...failing, last: 'Citizen' })).toEqual({
    problem: { field: 'email', message: 'Please enter a valid email address' },
  });
  expect(checkCustomer({ ...failing, last: 'Citizen', email: whole.email })).toEqual({
    problem: { field: 'phone', message: 'Phone number must be at least 10 digits' },
  });
  expect(checkCustomer({ ...whole, phone: '0'.repeat(21) })).toEqual({
    problem: { field: 'phone', message: 'Phone number must be less than 20 characters' },
  });
  expect(checkCustomer({ ...whole, last: 'x'.repeat(97) })).toEqual({
    problem: { field: 'first', message: 'Full name must be less than 100 characters' },
  });
});
