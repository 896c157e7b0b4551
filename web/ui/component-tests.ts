import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createElement, Fragment, type ReactElement } from 'react';
import { afterEach, expect } from 'vitest';
import { firstBusiness } from '#rules/business/first-settings.ts';
import { firstRooms } from '#rules/business/rooms.ts';
import { PageDataProvider } from '#web/lib/business/business.ts';
import { createQueryClient } from '#web/lib/query-client.ts';
import { Router } from '#web/router/router.tsx';

// Remove what a component test has rendered and stored in the browser.
afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

/** Types and presses without pauses. */
export const user = userEvent.setup({ delay: null });

/** Presses a button twice, as fast as a page can draw in between. */
export async function pressTwice(button: HTMLElement): Promise<void> {
  await user.click(button);
  await act(() => new Promise((drawn) => setTimeout(drawn)));
  await user.click(button);
}

/** Replaces the text of an input by pasting. */
export async function fill(input: HTMLElement, text: string): Promise<void> {
  await user.clear(input);
  await user.click(input);
  if (text !== '') await user.paste(text);
}

/** The initial data of the business, as the server writes it into the pages. */
const FIRST = { business: firstBusiness, rooms: firstRooms, texts: null };

/** The process's own timer, because tests may replace the page's timer. */
const { setTimeout: startTimer } = globalThis;

/**
 * Renders a component with the data and the query client of the pages and a router at `path`. `sibling` is rendered next to it. `failures`
 * collects the text of toasts that the pages would show for failed mutations. `settled` waits until every read has ended and its answer is
 * shown.
 */
export function renderPart(
  part: ReactElement,
  { path = '/', sibling }: { path?: string; sibling?: ReactElement } = {},
) {
  const failures: string[] = [];
  const client = createQueryClient({ onError: () => {}, showFailure: (_title, text) => failures.push(text) });
  const wrap = (inside: ReactElement) =>
    createElement(
      Router,
      { at: path },
      createElement(
        PageDataProvider,
        { value: FIRST },
        createElement(QueryClientProvider, { client }, createElement(Fragment, null, inside, sibling)),
      ),
    );
  const { rerender, unmount } = render(wrap(part));
  const settled = () =>
    act(async () => {
      await expect.poll(() => client.isFetching(), { interval: 5 }).toBe(0);
      // The query client notifies components in a separate task.
      await new Promise((notified) => startTimer(notified));
    });
  return { rerender: (next: ReactElement) => rerender(wrap(next)), unmount, client, failures, settled };
}

/** Asserts that the date entry on the page accepts no date after `today` ('YYYY-MM-DD'), neither typed, which shows `message`, nor chosen. */
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
  expect(closed).toEqual(Array.from({ length: 12 - Number(month) }, (_, index) => Number(month) + 1 + index));
  await user.selectOptions(months, String(Number(month)));
  await fill(input('Day'), '32');
  expect(input('Day').value).toBe('');
}
