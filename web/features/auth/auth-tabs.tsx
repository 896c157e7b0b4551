import { useState } from 'react';
import { ResetForm } from './reset-form.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { SignUpForm } from './sign-up-form.tsx';

type View = 'sign-in' | 'sign-up' | 'reset';

/** Sign In and Sign Up as tabs, with the way to a forgotten password. */
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
  const tab = (name: 'sign-in' | 'sign-up', label: string) => (
    <button
      type="button"
      role="tab"
      id={`tab-${name}`}
      aria-selected={view === name}
      aria-controls="auth-panel"
      tabIndex={view === name ? 0 : -1}
      onClick={() => setView(name)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        const other = name === 'sign-in' ? 'sign-up' : 'sign-in';
        setView(other);
        document.getElementById(`tab-${other}`)?.focus();
      }}
      className={`min-h-12 border-b-2 text-lg font-bold ${view === name ? 'border-signal text-chalk' : 'border-line text-dust hover:text-chalk'}`}
    >
      {label}
    </button>
  );
  return (
    <>
      <div role="tablist" aria-label="Account" className="mb-6 grid grid-cols-2">
        {tab('sign-in', 'Sign In')}
        {tab('sign-up', 'Sign Up')}
      </div>
      <div role="tabpanel" id="auth-panel" aria-labelledby={`tab-${view}`}>
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
            redirectTo={redirectTo}
            onDone={(email, signedIn) => (signedIn ? onSignedIn() : onCodeSent(email))}
          />
        )}
      </div>
    </>
  );
}
