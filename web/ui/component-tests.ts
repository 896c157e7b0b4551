import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createElement, Fragment, type ReactElement } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach } from 'vitest';

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
      MemoryRouter,
      { initialEntries: [path] },
      createElement(QueryClientProvider, { client }, createElement(Fragment, null, inside, beside)),
    );
  const { rerender, unmount } = render(wrap(part));
  return { rerender: (next: ReactElement) => rerender(wrap(next)), unmount };
}
