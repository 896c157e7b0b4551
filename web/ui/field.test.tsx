import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart, user } from './component-tests.ts';
import { Field } from './field.tsx';

test('a password is hidden until its owner asks to see it, keeps what was typed, and is hidden again', async () => {
  renderPart(<Field label="Password" type="password" autoComplete="new-password" hint="At least 6 characters" />);
  const input = screen.getByLabelText<HTMLInputElement>('Password');
  const seen = () => [input.type, input.value, input.autocomplete];
  await user.type(input, 'night-shift-9');
  expect(seen()).toEqual(['password', 'night-shift-9', 'new-password']);
  await user.click(screen.getByRole('button', { name: 'Show what you typed' }));
  expect(seen()).toEqual(['text', 'night-shift-9', 'new-password']);
  expect(screen.getByLabelText('Password')).toBe(input);
  await user.click(screen.getByRole('button', { name: 'Hide what you typed' }));
  expect(seen()).toEqual(['password', 'night-shift-9', 'new-password']);
});

test('a field for anything else has no button', () => {
  renderPart(<Field label="Email" type="email" />);
  expect(screen.queryByRole('button')).toBeNull();
});
