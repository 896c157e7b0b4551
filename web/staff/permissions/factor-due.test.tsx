import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { withAccount } from '#web/data/testing/account.tsx';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { FactorDue } from './factor-due.tsx';

test('staff without two-step sign-in are told by when they need it, in Sydney time, with the way there', async () => {
  wire.answerRows('second_factor_rules', {
    permissions: ['money'],
    shown: false,
    due: new Date('2031-03-08T07:00:00Z'),
  });
  renderPart(withAccount(<FactorDue />));
  expect((await screen.findByText(/^Add two-step sign-in by/)).textContent).toBe(
    'Add two-step sign-in by Sat 8 Mar 2031, 6 pm, Sydney time',
  );
  expect(screen.getByRole('link').getAttribute('href')).toBe('/profile#second-step');
});

test('the notice goes once nothing is due any more', async () => {
  wire.answerRows('second_factor_rules', { permissions: [], shown: false, due: new Date('2031-03-08T07:00:00Z') });
  const { client } = renderPart(withAccount(<FactorDue />), { sibling: <p>Today</p> });
  await screen.findByText(/^Add two-step sign-in by/);
  wire.answerRows('second_factor_rules', { permissions: ['money'], shown: true, due: null });
  await act(() => client.invalidateQueries());
  await expect.poll(() => screen.queryByText(/two-step sign-in/)).toBeNull();
  expect(screen.getByText('Today')).toBeTruthy();
});
