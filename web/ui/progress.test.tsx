import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart, user } from './component-tests.ts';
import { Loaded } from './progress.tsx';

const LOADING = { data: undefined, isError: false, error: null };
const FAILED = { data: undefined, isError: true, error: new Error('The server is asleep.') };

test('a query shows its placeholder, then its failure with a retry, then its data, which a later failure does not remove', async () => {
  let retries = 0;
  const show = (query: { data: string | undefined; isError: boolean; error: Error | null }) => (
    <Loaded
      query={{ ...query, refetch: () => (retries += 1) }}
      what="your keys"
      why={(error) => error?.message ?? ''}
      skeleton="h-4"
    >
      {(keys) => <p>Keys: {keys}</p>}
    </Loaded>
  );
  const { rerender } = renderPart(show(LOADING));
  expect(screen.getByRole('status', { name: 'Loading your keys' }).className).toContain('h-4');
  rerender(show(FAILED));
  expect(screen.getByRole('alert').textContent).toBe('Your keys could not be loaded.The server is asleep.Try again');
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(retries).toBe(1);
  rerender(show({ ...FAILED, data: '' }));
  expect(screen.getByText('Keys:')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a query without a placeholder shows nothing while it loads, and its failure has the given title', () => {
  const show = (query: typeof LOADING | typeof FAILED) => (
    <Loaded query={{ ...query, refetch: () => undefined }} what="hours" failed="The hours are unknown.">
      {() => null}
    </Loaded>
  );
  const { rerender } = renderPart(show(LOADING));
  expect(screen.queryByRole('status')).toBeNull();
  rerender(show(FAILED));
  expect(screen.getByRole('alert').textContent).toBe('The hours are unknown.Try again');
});
