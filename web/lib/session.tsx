import type { Session, User } from '@supabase/supabase-js';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { drafts } from './drafts.ts';
import { supabase } from './supabase.ts';

type SessionState = {
  readonly status: 'loading' | 'in' | 'out';
  readonly session: Session | null;
  readonly user: User | null;
};
type SessionValue = SessionState & { readonly signOut: () => Promise<void> };
const Context = createContext<SessionValue | null>(null);

/** Old sign-in data that is not valid JSON is thrown away (spec section 4). */
function dropBrokenKeys(): void {
  for (const key of Object.keys(localStorage)) {
    if (!key.startsWith('sb-') || !key.includes('auth-token')) continue;
    try {
      JSON.parse(localStorage.getItem(key) ?? 'null');
    } catch {
      localStorage.removeItem(key);
    }
  }
}
function dropStoredSession(): void {
  localStorage.removeItem('supabase.auth.token');
  for (const key of Object.keys(localStorage))
    if (key.startsWith('sb-') && key.includes('auth-token')) localStorage.removeItem(key);
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ status: 'loading', session: null, user: null });
  useEffect(() => {
    dropBrokenKeys();
    const show = (session: Session | null): void =>
      setState({ status: session ? 'in' : 'out', session, user: session?.user ?? null });
    supabase.auth.getSession().then(
      ({ data }) => show(data.session),
      () => show(null),
    );
    const { data } = supabase.auth.onAuthStateChange((_event, session) => show(session));
    return () => data.subscription.unsubscribe();
  }, []);
  const signOut = useCallback(async () => {
    setState({ status: 'out', session: null, user: null });
    const finished = supabase.auth.signOut();
    drafts.dropAll();
    await finished.catch(() => undefined); // signed out here whatever the service says (spec section 4)
    dropStoredSession();
  }, []);
  const value = useMemo(() => ({ ...state, signOut }), [state, signOut]);
  return <Context value={value}>{children}</Context>;
}

export function useSession(): SessionValue {
  const value = useContext(Context);
  if (!value) throw new Error('useSession outside of SessionProvider');
  return value;
}

export type DialogView = 'sign-in' | 'sign-up';
type AuthDialogValue = {
  readonly view: DialogView | null;
  readonly open: (view?: DialogView) => void;
  readonly close: () => void;
};
const DialogContext = createContext<AuthDialogValue | null>(null);

/** Whether the sign-in dialog is open; any page may ask for it. */
export function AuthDialogProvider({ children }: { children: ReactNode }) {
  const [view, setView] = useState<DialogView | null>(null);
  const value = useMemo(
    () => ({ view, open: (wanted: DialogView = 'sign-in') => setView(wanted), close: () => setView(null) }),
    [view],
  );
  return <DialogContext value={value}>{children}</DialogContext>;
}
export function useAuthDialog(): AuthDialogValue {
  const value = useContext(DialogContext);
  if (!value) throw new Error('useAuthDialog outside of AuthDialogProvider');
  return value;
}
