import { screen } from '@testing-library/react';
import type { ReactElement } from 'react';
import { AuthDialogProvider, SessionProvider, useAuthDialog } from '../session.tsx';

/** Wraps a part in what the site provides about the account: who is signed in (`wire.signIn`), and the sign-in dialog. */
export const withAccount = (part: ReactElement): ReactElement => (
  <SessionProvider>
    <AuthDialogProvider>
      {part}
      <OpenDialog />
    </AuthDialogProvider>
  </SessionProvider>
);

const OpenDialog = () => <output data-testid="auth-dialog">{useAuthDialog().view}</output>;

/** Returns which view of the sign-in dialog is open: `sign-in` or `sign-up`; '' while it is closed. */
export const openAuthDialog = (): string => screen.getByTestId('auth-dialog').textContent;
