import { expect, test } from 'vitest';
import { joinName, splitName, stillNeeded } from './name.ts';

test('a full name is split and joined again', () => {
  expect(splitName('Alex Jordan Citizen')).toEqual({ first: 'Alex', last: 'Jordan Citizen', oneName: false });
  expect(joinName(splitName('  Alex   Citizen '))).toEqual({ fullName: 'Alex Citizen' });
});

test('a person with one name needs no last name', () => {
  expect(splitName('Sukarno')).toEqual({ first: 'Sukarno', last: '', oneName: true });
  expect(joinName(splitName('Sukarno'))).toEqual({ fullName: 'Sukarno' });
});

test('an account without a name asks for both, and one letter is not a name', () => {
  expect(splitName(null)).toEqual({ first: '', last: '', oneName: false });
  expect(joinName(splitName(null))).toEqual({
    problem: 'Please enter your first and last name as shown on your Australian ID.',
    field: 'first',
  });
  expect(joinName({ first: 'Alex', last: 'C', oneName: false })).toEqual({
    problem: 'Please enter valid first and last names.',
    field: 'last',
  });
});

test('missing fields are listed; the list is empty when none is missing', () => {
  const name = splitName('Alex Citizen');
  const done = { name, email: 'a@example.com', phone: '0400 000 000', verified: true, termsAccepted: true };
  expect(stillNeeded(done)).toBe('');
  expect(stillNeeded({ ...done, verified: false })).toBe('ID');
  expect(stillNeeded({ ...done, phone: ' ', verified: false, termsAccepted: false })).toBe('phone, ID and terms');
});
