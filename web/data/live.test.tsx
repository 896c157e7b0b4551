import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, render, screen } from '@testing-library/react';
import { beforeEach, test, vi } from 'vitest';
import { useLive } from './live.ts';
import type { LiveEvents } from './live/source.ts';

const source = vi.hoisted(() => ({ events: null as LiveEvents | null }));
vi.mock('./client.ts', () => ({ supabase: {} }));
vi.mock('./live/tabs.ts', () => ({
  shareAmongTabs({ events }: { events: LiveEvents }) {
    source.events = events;
    return { follow: () => undefined, reset: () => undefined };
  },
}));

// The test DOM may lack both. A page without them does not share its connection.
vi.stubGlobal('BroadcastChannel', class {});
if (!('locks' in navigator)) Object.defineProperty(navigator, 'locks', { value: {} });

let reads = 0;
/** A promise that reads wait for; null if they answer at once. */
let slow: Promise<void> | null = null;
function List() {
  useLive('user:someone', ['list']);
  const { data } = useQuery({
    queryKey: ['list'],
    queryFn: async () => {
      const read = (reads += 1);
      await slow;
      return read;
    },
    staleTime: Infinity,
  });
  return <p>{`read ${data ?? 0} times`}</p>;
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  reads = 0;
  return () => vi.useRealTimers();
});

/** Renders a list that follows a topic, and returns how to hide it. The test plays the server through `source.events`. */
async function show() {
  const client = new QueryClient();
  const page = (shown: boolean) => <QueryClientProvider client={client}>{shown ? <List /> : null}</QueryClientProvider>;
  const { rerender } = render(page(true));
  await screen.findByText('read 1 times');
  await act(() => vi.advanceTimersByTimeAsync(1));
  return (shown: boolean) => rerender(page(shown));
}
const change = (): Promise<void> =>
  act(async () => {
    source.events?.onChange('user:someone');
  });

test('a change is read soon', async () => {
  await show();
  await change();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  await screen.findByText('read 2 times');
});

test('a change just before a page is left is read when it is shown again', async () => {
  const set = await show();
  await change();
  set(false);
  set(true);
  await screen.findByText('read 2 times');
});

test('a change while the topic is kept without a page is read when a page is shown again', async () => {
  const set = await show();
  set(false);
  await change();
  set(true);
  await screen.findByText('read 2 times');
});

test('a change while the first read is under way is read after it', async () => {
  let finish = (): void => undefined;
  slow = new Promise((done) => (finish = done));
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <List />
    </QueryClientProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(1));
  await change();
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  finish();
  slow = null;
  await screen.findByText('read 2 times');
});
