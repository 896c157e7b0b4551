import { screen, waitFor } from '@testing-library/react';
import type { ReactElement } from 'react';
import { expect } from 'vitest';
import { AuthDialogProvider, SessionProvider, useAuthDialog, useSession } from '../session.tsx';

/** Wraps a part in what the site provides about the account: who is signed in (`wire.signIn`), and the sign-in dialog. */
export const withAccount = (part: ReactElement): ReactElement => (
  <SessionProvider>
    <AuthDialogProvider>
      {part}
      <AccountState />
    </AuthDialogProvider>
  </SessionProvider>
);

const STATUS_ID = 'account-status';
const DIALOG_ID = 'auth-dialog';

function AccountState() {
  const { status } = useSession();
  const { view } = useAuthDialog();
  return (
    <>
      <output data-testid={STATUS_ID}>{status}</output>
      <output data-testid={DIALOG_ID}>{view}</output>
    </>
  );
}

/** Waits until the page has read that somebody is signed in. */
export const waitForAccount = (): Promise<void> =>
  waitFor(() => expect(screen.getByTestId(STATUS_ID).textContent).toBe('in'));

/** Returns which view of the sign-in dialog is open: `sign-in` or `sign-up`; '' while it is closed. */
export const openAuthDialog = (): string => screen.getByTestId(DIALOG_ID).textContent;
