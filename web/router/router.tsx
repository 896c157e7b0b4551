import {
  type ComponentProps,
  createContext,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';

/** The current address, and how it was reached. `kind` is `pop` also for an address that was opened directly. */
export type Location = {
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  /** The state that was passed with the navigation. It survives a reload. */
  readonly state: unknown;
  readonly kind: 'pop' | 'push' | 'replace';
  /** Whether the tab began with this address or came from another site, so that no navigation of this router led here. */
  readonly opened: boolean;
};
type NavigateOptions = { readonly replace?: boolean; readonly state?: unknown };
/** `to`: a path, or a query for the current path. */
type Navigate = (to: string, options?: NavigateOptions) => void;

const Context = createContext<{ readonly location: Location; readonly navigate: Navigate } | null>(null);

const getAddress = ({ pathname, search, hash }: Location): string => `${pathname}${search}${hash}`;

function toLocation(address: string, rest: Pick<Location, 'state' | 'kind' | 'opened'>): Location {
  const { pathname, search, hash } = new URL(address, 'http://localhost');
  return { pathname, search, hash, ...rest };
}

function readBrowser(): Location {
  const { pathname, search, hash } = window.location;
  const entry: unknown = window.history.state;
  const kept = entry !== null && typeof entry === 'object' && 'passed' in entry ? entry : null;
  return { pathname, search, hash, state: kept?.passed ?? null, kind: 'pop', opened: kept === null };
}

/** Provides the address: the browser's, or for the build and for tests one that begins `at` a path and stays in memory. */
export function Router({ at, children }: { at?: string; children?: ReactNode }) {
  const inMemory = at !== undefined;
  const [location, setLocation] = useState(() =>
    inMemory ? toLocation(at, { state: null, kind: 'pop', opened: true }) : readBrowser(),
  );
  const navigate = useMemo(() => {
    // The transition keeps the page visible until the next one is fetched.
    const show = (next: (before: Location) => Location): void => startTransition(() => setLocation(next));
    return (to: string, { replace = false, state = null }: NavigateOptions = {}): void => {
      const kind = replace ? 'replace' : 'push';
      if (!inMemory) window.history[`${kind}State`]({ passed: state }, '', to);
      show((before) => {
        const address = inMemory
          ? new URL(to, new URL(getAddress(before), 'http://localhost')).href
          : window.location.href;
        return toLocation(address, { state, kind, opened: false });
      });
    };
  }, [inMemory]);
  useEffect(() => {
    if (inMemory) return undefined;
    const follow = (): void => startTransition(() => setLocation(readBrowser()));
    window.addEventListener('popstate', follow);
    return () => window.removeEventListener('popstate', follow);
  }, [inMemory]);
  const value = useMemo(() => ({ location, navigate }), [location, navigate]);
  return <Context value={value}>{children}</Context>;
}

function useRouter() {
  const value = useContext(Context);
  if (!value) throw new Error('a page outside of Router');
  return value;
}
export const useLocation = (): Location => useRouter().location;
export const useNavigate = (): Navigate => useRouter().navigate;

/** Returns the query of the address, and a function that replaces it. */
export function useSearchParams() {
  const { navigate, location } = useRouter();
  const { pathname, search } = location;
  return useMemo(() => {
    const set = (fields: Record<string, string>, options?: NavigateOptions): void =>
      navigate(`${pathname}?${new URLSearchParams(fields)}`.replace(/\?$/, ''), options);
    return [new URLSearchParams(search), set] as const;
  }, [pathname, search, navigate]);
}

/** Navigates to another address as soon as it renders. */
export function Redirect({ to }: { to: string }) {
  const navigate = useNavigate();
  useEffect(() => navigate(to, { replace: true }), [navigate, to]);
  return null;
}

/** A link to another page of the site. A press with a modifier key is left to the browser. */
export function Link({
  to,
  state,
  onClick,
  children,
  ...rest
}: { to: string; state?: unknown } & Omit<ComponentProps<'a'>, 'href'>) {
  const { location, navigate } = useRouter();
  function follow(event: MouseEvent<HTMLAnchorElement>): void {
    onClick?.(event);
    const modified = event.metaKey || event.altKey || event.ctrlKey || event.shiftKey;
    if (event.defaultPrevented || event.button !== 0 || modified) return;
    event.preventDefault();
    // Browsers do the same: a link to the current address adds no history entry.
    navigate(to, { state, replace: to === getAddress(location) });
  }
  return (
    <a {...rest} href={to} onClick={follow}>
      {children}
    </a>
  );
}
