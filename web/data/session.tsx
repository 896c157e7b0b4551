import type { Session, SupabaseClient, User } from '@supabase/supabase-js';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { whenClient } from '#web/lib/auth-client.ts';
import { dropDoorCopy, dropEndedDoorCopy } from '#web/lib/stored/door-copy.ts';
import { drafts } from '#web/lib/drafts.ts';
import { errorCode } from '#web/lib/errors.ts';
import { dropStoredSession, hasStoredSession } from '#web/lib/stored/stored-session.ts';
import { fetchClient } from './fetch-client.ts';

type SessionState = {
  readonly status: 'loading' | 'in' | 'out';
  readonly session: Session | null;
  readonly user: User | null;
};
const LOADING: SessionState = { status: 'loading', session: null, user: null };
const OUT: SessionState = { status: 'out', session: null, user: null };
type SessionValue = SessionState & { readonly signOut: () => Promise<void> };
const Context = createContext<SessionValue | null>(null);

const leaving = new Set<() => void>();
/**
 * True during a sign-out in this tab. The cached data was dropped before the event of the sign-out; dropping it again would also remove
 * what the next page has read since.
 */
let leavingHere = false;
/** Registers a function that drops cached personal data at every sign-out. */
export function onSignOut(drop: () => void): void {
  leaving.add(drop);
}

/**
 * Provides the session. The auth client is large and most visitors of the first page never need it. It is therefore fetched only when this
 * browser stores a session, when another tab signs in, or when a page first calls the server.
 */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>(LOADING);
  useEffect(() => {
    dropEndedDoorCopy(new Date());
    let unsubscribe = (): void => {};
    const stop = whenClient((client) => {
      unsubscribe = follow(client, setState);
    });
    const look = (): void => {
      if (hasStoredSession(localStorage)) {
        void fetchClient().catch((error: unknown) => {
          logFailure('the session could not be read', error);
          setState(OUT);
        });
      }
    };
    if (!hasStoredSession(localStorage)) setState((now) => (now.status === 'loading' ? OUT : now));
    look();
    window.addEventListener('storage', look);
    // Retry once the connection is back.
    window.addEventListener('online', look);
    return () => {
      window.removeEventListener('storage', look);
      window.removeEventListener('online', look);
      stop();
      unsubscribe();
    };
  }, []);
  const token = state.session?.access_token;
  const signOut = useCallback(async () => {
    setState(OUT);
    drafts.removeAll();
    dropStoredSession(localStorage);
    dropOwnData();
    const client = await fetchClient().catch((cause: unknown) => {
      logFailure('the service could not be notified of the sign-out', cause);
      return null;
    });
    if (client === null) return;
    // The stored session is already gone, so this call only notifies the other tabs.
    leavingHere = true;
    const { error } = await client.auth.signOut({ scope: 'local' }).finally(() => (leavingHere = false));
    if (error) logFailure('the other tabs could not be notified of the sign-out', error);
    // The browser is signed out even if this call fails. An access token that could not be revoked expires within the hour.
    if (token === undefined) return;
    const answer = await client.auth.admin.signOut(token, 'global').catch((cause: unknown) => ({ error: cause }));
    // A deleted account has no session left.
    if (answer.error && errorCode(answer.error) !== 'session_not_found')
      logFailure('the service could not be notified of the sign-out', answer.error);
  }, [token]);
  const value = useMemo(() => ({ ...state, signOut }), [state, signOut]);
  return <Context value={value}>{children}</Context>;
}

/** Drops everything that pages have read about the account, and the code that `/door` keeps. */
function dropOwnData(): void {
  for (const drop of leaving) drop();
  dropDoorCopy();
}

/** Logs a failure to the console only, because the user can do nothing about it. */
function logFailure(what: string, error: unknown): void {
  // oxlint-disable-next-line no-console
  console.error(what, error instanceof Error ? error.message : '');
}

/** Passes the client's session and every later change to `show`. Returns a function that stops this. */
function follow(client: SupabaseClient, show: (state: SessionState) => void): () => void {
  const update = (session: Session | null): void => {
    if (session) drafts.rememberAccount();
    show(session ? { status: 'in', session, user: session.user } : OUT);
  };
  client.auth.getSession().then(
    ({ data }) => update(data.session),
    (error: unknown) => {
      logFailure('the session could not be read', error);
      show(OUT);
    },
  );
  const { data } = client.auth.onAuthStateChange((event, session) => {
    update(session);
    // Another tab or device has signed this browser out.
    if (event === 'SIGNED_OUT' && !leavingHere) dropOwnData();
  });
  return () => data.subscription.unsubscribe();
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

/** Provides whether the sign-in dialog is open. Any page can open it. */
export function AuthDialogProvider({ children }: { children: ReactNode }) {
  const [view, setView] = useState<DialogView | null>(null);
  // The functions are stable: a page that opens the dialog in an effect must not reopen it when it closes.
  const open = useCallback((requested: DialogView = 'sign-in') => setView(requested), []);
  const close = useCallback(() => setView(null), []);
  const value = useMemo(() => ({ view, open, close }), [view, open, close]);
  return <DialogContext value={value}>{children}</DialogContext>;
}
export function useAuthDialog(): AuthDialogValue {
  const value = useContext(DialogContext);
  if (!value) throw new Error('useAuthDialog outside of AuthDialogProvider');
  return value;
}
