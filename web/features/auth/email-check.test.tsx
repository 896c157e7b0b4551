import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renderPart } from '#web/ui/component-tests.ts';
import { AuthTabs } from './auth-tabs.tsx';

vi.mock('#web/data/client.ts', () => ({ supabase: {} }));
vi.mock('#web/data/server.ts', () => ({ apiUrl: 'http://localhost', publicKey: 'anon' }));
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('an email is checked once, 500 ms after the last keystroke', async () => {
  const asked: unknown[] = [];
  vi.stubGlobal('fetch', (url: string, init?: { body: string }) => {
    if (url.endsWith('/auth/v1/recover')) asked.push(JSON.parse(init?.body ?? ''));
    return Promise.resolve(Response.json({}, { status: 404 }));
  });
  renderPart(<AuthTabs start="sign-up" redirectTo="http://localhost/x" onSignedIn={vi.fn()} onCodeSent={vi.fn()} />);
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const type = (value: string) => fireEvent.change(screen.getByLabelText('Email'), { target: { value } });
  const almost = 'somebody@example.co';
  for (let length = 1; length <= almost.length; length += 1) type(almost.slice(0, length));
  await pass(400);
  type(`${almost}m`);
  await pass(499);
  expect(asked).toEqual([]);
  await pass(1);
  expect(asked).toEqual([{ email: 'somebody@example.com', dry_run: true }]);
  await pass(5_000);
  expect(asked).toHaveLength(1);
});
