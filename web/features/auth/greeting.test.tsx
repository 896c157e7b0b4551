import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import * as wire from '#web/data/testing/wire.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { SignInForm } from './sign-in-form.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));

test('the greeting uses DJ name, first name or neither, and a refusal shows the message of the server [spec 7.16, 8.5, 8.6]', async () => {
  renderPart(<SignInForm resetSentTo={null} onSignedIn={vi.fn()} onForgot={vi.fn()} onUnconfirmed={vi.fn()} />);
  await fill(screen.getByLabelText('Email'), 'robin@example.com');
  await fill(screen.getByLabelText('Password'), 'night-shift-9');
  const press = () => user.click(screen.getByRole('button', { name: 'Sign In' }));
  for (const [data, greeting] of [
    [{ dj_name: 'DJ Night', full_name: 'Robin Sample' }, 'Welcome back, DJ Night!'],
    [{ dj_name: '', full_name: 'Robin Sample' }, 'Welcome back, Robin!'],
    [{ dj_name: '', full_name: '' }, 'Welcome back!'],
    [{}, 'Welcome back!'],
  ] as const) {
    vi.mocked(toast).mockClear();
    wire.answerPath('/auth/v1/token', wire.sessionFor({ id: 'u', user_metadata: data }));
    await press();
    const description = "You've been signed in successfully.";
    await waitFor(() => expect(vi.mocked(toast).mock.calls).toEqual([[{ title: greeting, description }]]));
  }
  wire.refusePath('/auth/v1/token', 400, 'user_banned', 'User is banned');
  await press();
  expect((await screen.findByRole('alert')).textContent).toBe('User is banned');
  expect(toast).toHaveBeenLastCalledWith({ title: 'Error', description: 'User is banned', tone: 'bad' });
});
