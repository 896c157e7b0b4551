import { screen, waitFor } from '@testing-library/react';
import type { ReactElement } from 'react';
import { expect } from 'vitest';
import { AuthDialogProvider, SessionProvider, useAuthDialog, useSession } from '../session.tsx';

/** Wraps a component in what the site provides about the account: who is signed in (`wire.signIn`), and the sign-in dialog. */
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
      <data data-testid={STATUS_ID} value={status} />
      <data data-testid={DIALOG_ID} value={view ?? ''} />
    </>
  );
}

const readState = (id: string): string | null => screen.getByTestId(id).getAttribute('value');

/** Waits until the page knows that a user is signed in. */
export const waitForAccount = (): Promise<void> => waitFor(() => expect(readState(STATUS_ID)).toBe('in'));

/** Returns the open view of the sign-in dialog: `sign-in` or `sign-up`; '' while it is closed. */
export const openAuthDialog = (): string | null => readState(DIALOG_ID);
