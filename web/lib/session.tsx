import type { Session, User } from '@supabase/supabase-js';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { drafts } from './drafts.ts';
import { dropStoredSession } from './stored-session.ts';
import { supabase } from './supabase.ts';

type SessionState = {
  readonly status: 'loading' | 'in' | 'out';
  readonly session: Session | null;
  readonly user: User | null;
};
type SessionValue = SessionState & { readonly signOut: () => Promise<void> };
const Context = createContext<SessionValue | null>(null);

export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [state, setState] = useState<SessionState>({ status: 'loading', session: null, user: null });
  useEffect(() => {
    const show = (session: Session | null): void =>
      setState({ status: session ? 'in' : 'out', session, user: session?.user ?? null });
    supabase.auth.getSession().then(
      ({ data }) => show(data.session),
      (error: unknown) => {
        logFailure('the session could not be read', error);
        show(null);
      },
    );
    const { data } = supabase.auth.onAuthStateChange((_event, session) => show(session));
    return () => data.subscription.unsubscribe();
  }, []);
  const token = state.session?.access_token;
  const signOut = useCallback(async () => {
    setState({ status: 'out', session: null, user: null });
    drafts.dropAll();
    client.clear();
    dropStoredSession(localStorage);
    // With nothing stored any more this only tells the other tabs.
    const { error } = await supabase.auth.signOut({ scope: 'local' });
    if (error) logFailure('the other tabs could not be told of the sign-out', error);
    // Signed out here whatever the service answers (spec section 4); what it could not do ends with the token's hour.
    if (token === undefined) return;
    const answer = await supabase.auth.admin.signOut(token, 'global').catch((cause: unknown) => ({ error: cause }));
    if (answer.error) logFailure('the service could not be told of the sign-out', answer.error);
  }, [client, token]);
  const value = useMemo(() => ({ ...state, signOut }), [state, signOut]);
  return <Context value={value}>{children}</Context>;
}

/** For whoever looks into the console; nobody signed in has to read it (spec section 4). */
function logFailure(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console
  console.error(what, error instanceof Error ? error.message : '');
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
  // The same functions for ever: a page that opens the dialog in an effect must not open it again when it closes.
  const open = useCallback((wanted: DialogView = 'sign-in') => setView(wanted), []);
  const close = useCallback(() => setView(null), []);
  const value = useMemo(() => ({ view, open, close }), [view, open, close]);
  return <DialogContext value={value}>{children}</DialogContext>;
}
export function useAuthDialog(): AuthDialogValue {
  const value = useContext(DialogContext);
  if (!value) throw new Error('useAuthDialog outside of AuthDialogProvider');
  return value;
}
