import { useState } from 'react';
import { removeTyped } from '#web/lib/drafts.ts';
import { Tabs } from '#web/ui/tabs.tsx';
import { ContinueWith } from './continue-with.tsx';
import { ResetForm } from './reset-form.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';
import { SIGN_UP_DRAFT, useSignUpForm } from './use-sign-up-form.ts';

const TABS = [
  { key: 'sign-in', label: 'Sign In' },
  { key: 'sign-up', label: 'Sign Up' },
];
type View = 'sign-in' | 'sign-up' | 'reset';

/** Shows Sign In and Sign Up as tabs, and the form for a forgotten password. */
export function AuthTabs({
  start = 'sign-in',
  redirectTo,
  onSignedIn,
  onCodeSent,
}: {
  start?: 'sign-in' | 'sign-up';
  redirectTo: string;
  onSignedIn: () => void;
  onCodeSent: (email: string) => void;
}) {
  const [view, setView] = useState<View>(start);
  const signUp = useSignUpForm();
  const [typedEmail, setTypedEmail] = useState('');
  const [resetSentTo, setResetSentTo] = useState<string | null>(null);
  if (view === 'reset')
    return (
      <ResetForm
        startEmail={typedEmail}
        onBack={() => setView('sign-in')}
        onSent={(email) => {
          setResetSentTo(email);
          setView('sign-in');
        }}
      />
    );
  return (
    <Tabs
      label="Account"
      tabs={TABS}
      value={view}
      onChange={(key) => setView(key === 'sign-up' ? 'sign-up' : 'sign-in')}
    >
      {view === 'sign-in' ? (
        <SignInForm
          resetSentTo={resetSentTo}
          onSignedIn={onSignedIn}
          onForgot={(email) => {
            setTypedEmail(email);
            setView('reset');
          }}
          onUnconfirmed={onCodeSent}
        />
      ) : (
        <SignUpForm
          form={signUp}
          redirectTo={redirectTo}
          onDone={(email, signedIn) => {
            removeTyped(SIGN_UP_DRAFT);
            return signedIn ? onSignedIn() : onCodeSent(email);
          }}
        />
      )}
      <ContinueWith onSignedIn={onSignedIn} />
    </Tabs>
  );
}
