import { screen, waitFor } from '@testing-library/react';
import { AuthApiError } from '@supabase/supabase-js';
import { expect, test, vi } from 'vitest';
import { supabase } from '#web/data/client.ts';
import { fill, renderPart, user } from '#web/ui/component-tests.ts';
import { toast } from '#web/ui/toast.tsx';
import { SignInForm } from './sign-in-form.tsx';

vi.mock(import('#web/ui/toast.tsx'), async (original) => ({ ...(await original()), toast: vi.fn() }));
vi.mock('#web/data/client.ts', () => ({ supabase: { auth: { signInWithPassword: vi.fn() } } }));

test('the greeting uses DJ name, first name or neither, and a refusal shows the message of the server', async () => {
  const signIn = vi.mocked(supabase.auth.signInWithPassword);
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
    // Cast: the form reads nothing else of the answer.
    signIn.mockResolvedValueOnce({ data: { user: { user_metadata: data } }, error: null } as never);
    await press();
    const description = "You've been signed in successfully.";
    await waitFor(() => expect(vi.mocked(toast).mock.calls).toEqual([[{ title: greeting, description }]]));
  }
  signIn.mockResolvedValueOnce({
    data: { user: null, session: null },
    error: new AuthApiError('User is banned', 400, 'user_banned'),
  });
  await press();
  expect((await screen.findByRole('alert')).textContent).toBe('User is banned');
  expect(toast).toHaveBeenLastCalledWith({ title: 'Error', description: 'User is banned', tone: 'bad' });
});
