import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as wire from '#web/data/testing/wire.ts';
import { renderPart } from '#web/ui/component-tests.ts';
import { AuthTabs } from './auth-tabs.tsx';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('an email is checked once, 500 ms after the last keystroke [spec 5.11, 9.25]', async () => {
  wire.answerPath('/auth/v1/settings', { external: {} });
  wire.refusePath('/auth/v1/recover', 404, 'user_not_found', 'User not found');
  const requests = () => wire.sentTo('/auth/v1/recover').map(({ body }) => body);
  renderPart(<AuthTabs start="sign-up" redirectTo="http://localhost/x" onSignedIn={vi.fn()} onCodeSent={vi.fn()} />);
  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
  const type = (value: string) => fireEvent.change(screen.getByLabelText('Email'), { target: { value } });
  const almost = 'somebody@example.co';
  for (let length = 1; length <= almost.length; length += 1) type(almost.slice(0, length));
  await pass(400);
  type(`${almost}m`);
  await pass(499);
  expect(requests()).toEqual([]);
  await pass(1);
  await expect.poll(requests).toEqual([{ email: 'somebody@example.com', dry_run: true }]);
  await pass(5_000);
  expect(requests()).toHaveLength(1);
});
