import { type ComponentType, Fragment, type ReactNode, Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { useLocation } from './router/router.tsx';
import { describePage, isPublic } from './lib/head.ts';
import { WithNotice } from './features/landing/site-notice.tsx';
import { CrashScreen } from './ui/crash-screen.tsx';
import { fetchPart } from './ui/fetch-part.ts';
import { lazyPart } from './ui/load-part.ts';
import { Waiting } from './ui/notice.tsx';
import { toast } from './ui/toast.tsx';

/** An address of the site. */
export type PageRoute = {
  /** The path. A path that ends with `/*` matches every address one segment below it. */
  readonly path: string;
  /** File in `pages/`, without extension; its default export is the page. */
  readonly page: string;
  /**
   * What the build pre-renders. `whole`: the full page, which the browser hydrates. `first`: the loading state, which the browser replaces.
   * `no`: nothing.
   */
  readonly rendered: 'whole' | 'first' | 'no';
  /** Whether the page reads data from the server. Such a page is wrapped in the query provider. */
  readonly data: boolean;
  /** The canonical path, if several paths show the page. */
  readonly canonical?: string;
  /** The page is only for admins, while the server has developer pages enabled. Other visitors see an unknown address. */
  readonly developer?: true;
};

const open = { rendered: 'whole', data: false } as const;
const hidden = { rendered: 'no', data: true, developer: true } as const;
const own = { rendered: 'no', data: true } as const;

/** Every path and its page. A page is fetched when it is opened. */
export const pages: readonly PageRoute[] = [
  { path: '/', page: 'landing', ...open },
  { path: '/studio', page: 'landing', canonical: '/', ...open },
  { path: '/about', page: 'about/us', rendered: 'whole', data: true },
  { path: '/coming-soon', page: 'coming-soon', rendered: 'whole', data: true },
  { path: '/terms', page: 'terms', rendered: 'whole', data: true },
  { path: '/privacy', page: 'privacy', rendered: 'whole', data: true },
  { path: '/status', page: 'about/status', rendered: 'first', data: true },
  { path: '/booking', page: 'booking/choose', rendered: 'first', data: true },
  { path: '/unsubscribe', page: 'unsubscribe', rendered: 'no', data: true },
  { path: '/auth', page: 'auth', ...own },
  { path: '/email-verified', page: 'email-verified', ...own },
  { path: '/undo-email', page: 'verify/undo-email', ...own },
  { path: '/checkout', page: 'checkout', ...own },
  { path: '/bookings', page: 'bookings/list', ...own },
  { path: '/bookings/*', page: 'bookings/one', ...own },
  { path: '/profile', page: 'profile', ...own },
  { path: '/payment-success', page: 'payment-success', ...own },
  { path: '/verify-complete', page: 'verify/complete', ...own },
  { path: '/verify-return', page: 'verify/return', ...own },
  { path: '/regenerate-pin', page: 'regenerate-pin', ...own },
  { path: '/door', page: 'access/door', ...own },
  { path: '/crew', page: 'access/crew', ...own },
  { path: '/access-code', page: 'access/access-code', ...own },
  { path: '/admin', page: 'admin/dashboard', ...own },
  { path: '/staff-invitation', page: 'staff-invitation', ...own },
  { path: '/igloohome-test', page: 'developer/igloohome-test', ...hidden },
  { path: '/test-pin', page: 'developer/test-pin', ...hidden },
  { path: '/test-timezone', page: 'developer/test-timezone', ...hidden },
  { path: '/test-booking-system', page: 'developer/test-booking-system', ...hidden },
  { path: '/test-smart-plug', page: 'developer/test-smart-plug', ...hidden },
  { path: '/power-control', page: 'developer/power-control', ...hidden },
  { path: '/primitives', page: 'developer/primitives', ...hidden },
];
export const unknownPage: PageRoute = { path: '*', page: 'not-found', ...open };

const files = import.meta.glob<{ default: ComponentType }>([
  './pages/**/*.tsx',
  '!./pages/**/*-part.tsx',
  '!./pages/**/*.test.tsx',
]);

type Fetchable = {
  readonly load: () => Promise<{ default: ComponentType }>;
  /** A component that fetches the page when it first renders. */
  readonly later: ComponentType;
  /** The page's component once it has been fetched; null before. */
  now: ComponentType | null;
};
const components = new Map([...pages, unknownPage].map((route) => [route.path, fetchable(route)]));

function fetchable(route: PageRoute): Fetchable {
  const file = getFile(route.page);
  const load: Fetchable['load'] = route.data
    ? async () => {
        const [{ default: Page }, QueryProvider, Gate] = await Promise.all([
          file(),
          loadQueryProvider(),
          route.developer ? developerGate() : Fragment,
        ]);
        const Inside = () => (
          <QueryProvider>
            <Gate>
              <Page />
            </Gate>
          </QueryProvider>
        );
        return { default: Inside };
      }
    : file;
  return { load, later: lazyPart(load), now: null };
}

/** Loads the query library and its provider, for pages and dialogs that talk to the server. */
export async function loadQueryProvider(): Promise<ComponentType<{ children: ReactNode }>> {
  const { QueryProvider, showFailuresWith } = await import('./data/query-provider.tsx');
  showFailuresWith((title, description) => toast({ title, description, tone: 'bad' }));
  return QueryProvider;
}

function getFile(page: string): () => Promise<{ default: ComponentType }> {
  const file = files[`./pages/${page}.tsx`];
  if (!file) throw new Error(`there is no page ${page}`);
  return file;
}

async function developerGate(): Promise<ComponentType<{ children: ReactNode }>> {
  const [{ DeveloperGate }, { default: Unknown }] = await Promise.all([
    import('./staff/permissions/developer-gate.tsx'),
    getFile(unknownPage.page)(),
  ]);
  return ({ children }) => <DeveloperGate otherwise={<Unknown />}>{children}</DeveloperGate>;
}

const bare = (pathname: string): string => pathname.replace(/(?<=.)\/$/, '');

/** Finds the page at a path, or the page for unknown addresses. */
function findPage(pathname: string): PageRoute {
  const path = bare(pathname);
  const below = path.replace(/(?<=.)\/[^/]+$/, '/*');
  return pages.find((route) => route.path === path) ?? pages.find((route) => route.path === below) ?? unknownPage;
}

/** Fetches a page before it renders, so that the pre-rendered page stays visible until then. */
export async function fetchPage(pathname: string): Promise<void> {
  const entry = components.get(findPage(pathname).path);
  if (entry) entry.now = (await fetchPart(entry.load)).default;
}

function Page({ route }: { route: PageRoute }) {
  // The component is chosen only once: a mounted page must not change its component when it is fetched again.
  const [{ Component }] = useState(() => {
    const entry = components.get(route.path);
    return { Component: entry?.now ?? entry?.later ?? null };
  });
  return Component ? <Component /> : null;
}

export function AppRoutes() {
  const { pathname, hash, kind } = useLocation();
  useLayoutEffect(() => {
    // On Back, the browser restores the scroll position itself.
    if (kind !== 'pop' && hash === '') window.scrollTo({ top: 0, behavior: 'instant' });
  }, [pathname, hash, kind]);
  useEffect(() => describePage(findPage(pathname)), [pathname]);
  const route = findPage(pathname);
  return (
    <CrashScreen page={pathname}>
      <Suspense fallback={<Waiting label="Loading" />}>
        {isPublic(route) ? (
          <WithNotice>
            <Page key={route.path} route={route} />
          </WithNotice>
        ) : (
          <Page key={route.path} route={route} />
        )}
      </Suspense>
    </CrashScreen>
  );
}
