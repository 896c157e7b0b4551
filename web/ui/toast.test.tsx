import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart, user } from './component-tests.ts';
import { toast, Toaster } from './toast.tsx';

const shown = (): (string | null)[] =>
  [...screen.getByRole('region', { name: 'Messages' }).querySelectorAll('p.font-bold')].map(
    (element) => element.textContent,
  );

test('a new message replaces the one before it, and a message is closed by hand', async () => {
  renderPart(<Toaster />);
  for (const title of ['Booking moved', 'Mail sent', 'Price saved']) {
    act(() => toast({ title }));
    expect(shown()).toEqual([title]);
  }
  await user.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(shown()).toEqual([]);
});
