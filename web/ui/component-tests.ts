import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createElement, Fragment, type ReactElement } from 'react';
import { afterEach, expect } from 'vitest';
import { Router } from '#web/router/router.tsx';

// Removes what a component test has rendered, and what it kept in the browser's storage.
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

/** Types and presses without pauses. */
export const user = userEvent.setup({ delay: null });

/** Replaces the text of an input, as one paste. */
export async function fill(input: HTMLElement, text: string): Promise<void> {
  await user.clear(input);
  await user.click(input);
  if (text !== '') await user.paste(text);
}

/** Renders a component of the pages with queries that do not retry and a router at `path`; `beside` is rendered next to it. */
export function renderPart(part: ReactElement, { path = '/', beside }: { path?: string; beside?: ReactElement } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const wrap = (inside: ReactElement) =>
    createElement(
      Router,
      { at: path },
      createElement(QueryClientProvider, { client }, createElement(Fragment, null, inside, beside)),
    );
  const { rerender, unmount } = render(wrap(part));
  return { rerender: (next: ReactElement) => rerender(wrap(next)), unmount };
}

/** Asserts that the date entry on the page takes no date after `today` ('YYYY-MM-DD'): neither typed, with `message`, nor chosen. */
export async function expectNoFutureDates(today: string, message: string): Promise<void> {
  const input = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
  const [year = '', month = ''] = today.split('-');
  await user.clear(input('Year'));
  await user.type(input('Year'), String(Number(year) + 1));
  expect(input('Year').value).toBe(year.slice(0, 3));
  expect(screen.getByText(message)).toBeTruthy();
  await fill(input('Day'), '');
  await fill(input('Year'), year);
  expect(screen.queryByText(message)).toBeNull();
  const months = screen.getByLabelText<HTMLSelectElement>('Month');
  const closed = [...months.options].filter((option) => option.disabled).map((option) => Number(option.value));
  expect(closed).toEqual(Array.from({ length: 12 - Number(month) }, (_, at) => Number(month) + 1 + at));
  await user.selectOptions(months, String(Number(month)));
  await fill(input('Day'), '32');
  expect(input('Day').value).toBe('');
}
