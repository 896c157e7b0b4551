import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { onSignOut, SessionProvider, useSession } from './session.tsx';

const client = vi.hoisted(() => {
  const listeners = new Set<(event: string, session: unknown) => void>();
  const announce = (event: string, session: unknown): void => listeners.forEach((listen) => listen(event, session));
  return {
    announce,
    auth: {
      getSession: () => Promise.resolve({ data: { session: null } }),
      onAuthStateChange: (listen: (event: string, session: unknown) => void) => {
        listeners.add(listen);
        return { data: { subscription: { unsubscribe: () => listeners.delete(listen) } } };
      },
      signOut: async () => {
        announce('SIGNED_OUT', null);
        return { error: null };
      },
      admin: { signOut: () => Promise.resolve({ error: null }) },
    },
  };
});
vi.mock('./fetch-client.ts', () => ({ fetchClient: () => Promise.resolve(client) }));
vi.mock('#web/lib/auth-client.ts', () => ({
  whenClient: (listen: (found: unknown) => void) => {
    listen(client);
    return () => undefined;
  },
}));

function Leave() {
  const { status, signOut } = useSession();
  return <button onClick={() => void signOut()}>{status}</button>;
}

test('what was read is dropped once at a sign-out here, before the next page reads, and at one from elsewhere', async () => {
  const drop = vi.fn();
  onSignOut(drop);
  render(
    <SessionProvider>
      <Leave />
    </SessionProvider>,
  );
  const signIn = (): void => act(() => client.announce('SIGNED_IN', { access_token: 't', user: { id: 'me' } }));
  await screen.findByText('out');
  signIn();
  act(() => screen.getByRole('button', { name: 'in' }).click());
  await screen.findByText('out');
  expect(drop).toHaveBeenCalledTimes(1);
  signIn();
  act(() => client.announce('SIGNED_OUT', null));
  await screen.findByText('out');
  expect(drop).toHaveBeenCalledTimes(2);
});
