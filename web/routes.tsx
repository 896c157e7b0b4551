import { type ComponentType, Fragment, type ReactNode, Suspense, useEffect, useLayoutEffect, useState } from 'react';
import { fillText } from '#rules/business/business.ts';
import { useLocation } from './router/router.tsx';
import { useBusiness } from './lib/business/business.ts';
import { describePage, isPublic } from './lib/head.ts';
import { WithNotice } from './features/landing/site-notice.tsx';
import { CrashScreen } from './ui/crash-screen.tsx';
import { fetchPart } from './ui/fetch-part.ts';
import { lazyPart } from './ui/load-part.ts';
import { Waiting } from './ui/notice.tsx';
import { toast } from './ui/toast.tsx';

/** One address of the site. */
export type PageRoute = {
  readonly path: string;
  /** File in `pages/`, without extension; its default export is the page. */
  readonly page: string;
  /** Title until the page sets its own. */
  readonly title: string;
  /** For search engines and shared links. May contain `{name}`. */
  readonly description: string;
  /**
   * What the build pre-renders. `whole`: the full page, which the browser hydrates. `first`: the loading state, which the browser replaces.
   * `no`: nothing.
   */
  readonly rendered: 'whole' | 'first' | 'no';
  /** Reads data from the server: wrapped in the query provider. */
  readonly data: boolean;
  /** Canonical path, when several paths show the page. */
  readonly canonical?: string;
  /** Only for admins, while the server has developer pages enabled; for others an unknown address. */
  readonly developer?: true;
};

const HOME_TITLE = '{name}, Sydney';
const WELCOME =
  'Three DJ studios in Sydney, open 24/7. Pick a room and your hours, pay by card, get a PIN for the door, play. From $49 an hour.';
const NEEDS_SIGN_IN = 'Book a DJ studio in Sydney by the hour, any hour.';
const open = { rendered: 'whole', data: false } as const;
const NO_PAGE = { title: 'Page not found', description: 'There is no page at this address.' } as const;
const hidden = { rendered: 'no', data: true, developer: true, ...NO_PAGE } as const;
const own = { rendered: 'no', data: true, description: NEEDS_SIGN_IN } as const;

/** Every path and its page; a page is fetched when it is opened. */
export const pages: readonly PageRoute[] = [
  { path: '/', page: 'landing', title: HOME_TITLE, description: WELCOME, ...open },
  {
    path: '/studio',
    page: 'landing',
    title: HOME_TITLE,
    description: WELCOME,
    canonical: '/',
    ...open,
  },
  {
    path: '/about',
    page: 'about',
    title: 'About us',
    description: 'Who we are, where the three studios are, when they are open (always) and how to reach us.',
    ...open,
  },
  {
    path: '/coming-soon',
    page: 'coming-soon',
    title: 'Coming Soon',
    description: 'Sydney’s first {name} are on their way. Leave your email and be the first to hear when we open.',
    rendered: 'whole',
    data: true,
  },
  {
    path: '/terms',
    page: 'terms',
    title: 'Terms & Conditions',
    description: 'Payment, cancellation, guests, access, age and ID: the terms of a booking in plain words.',
    rendered: 'whole',
    data: true,
  },
  {
    path: '/privacy',
    page: 'privacy',
    title: 'Privacy',
    description:
      'What we keep about you, why, for how long, who else sees it, and how to have it corrected or deleted.',
    rendered: 'whole',
    data: true,
  },
  {
    path: '/booking',
    page: 'booking',
    title: 'Book a studio',
    description:
      'Choose Studio A, B or C and your hours, any hour of the week. Prices by the hour, 10% off three hours, 15% off four or more.',
    rendered: 'first',
    data: true,
  },
  {
    path: '/unsubscribe',
    page: 'unsubscribe',
    title: 'Unsubscribe',
    description: 'Leave our mailing list.',
    rendered: 'no',
    data: true,
  },
  { path: '/auth', page: 'auth', title: 'Sign in', ...own },
  { path: '/email-verified', page: 'email-verified', title: 'Email Confirmed', ...own },
  { path: '/checkout', page: 'checkout', title: 'Checkout', ...own },
  { path: '/bookings', page: 'bookings', title: 'Your bookings', ...own },
  { path: '/profile', page: 'profile', title: 'Account Settings', ...own },
  { path: '/payment-success', page: 'payment-success', title: 'Your booking', ...own },
  { path: '/verify-complete', page: 'verify/complete', title: 'ID check', ...own },
  { path: '/verify-return', page: 'verify/return', title: 'ID check', ...own },
  { path: '/regenerate-pin', page: 'regenerate-pin', title: 'Your access code', ...own },
  { path: '/access-code', page: 'access-code', title: 'Your access code', ...own },
  { path: '/admin', page: 'admin', title: 'Admin', ...own },
  { path: '/staff-invitation', page: 'staff-invitation', title: 'Join the staff', ...own },
  { path: '/igloohome-test', page: 'developer/igloohome-test', ...hidden },
  { path: '/test-pin', page: 'developer/test-pin', ...hidden },
  { path: '/test-timezone', page: 'developer/test-timezone', ...hidden },
  { path: '/test-booking-system', page: 'developer/test-booking-system', ...hidden },
  { path: '/test-smart-plug', page: 'developer/test-smart-plug', ...hidden },
  { path: '/power-control', page: 'developer/power-control', ...hidden },
  { path: '/primitives', page: 'developer/primitives', ...hidden },
];
export const unknownPage: PageRoute = {
  path: '*',
  page: 'not-found',
  ...NO_PAGE,
  ...open,
};

const files = import.meta.glob<{ default: ComponentType }>('./pages/**/*.tsx');

type Fetchable = {
  readonly load: () => Promise<{ default: ComponentType }>;
  /** Fetches the page when first rendered. */
  readonly later: ComponentType;
  /** Set once it has been fetched. */
  now: ComponentType | null;
};
const components = new Map([...pages, unknownPage].map((route) => [route.path, fetchable(route)]));

function fetchable(route: PageRoute): Fetchable {
  const file = fileOf(route.page);
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

function fileOf(page: string): () => Promise<{ default: ComponentType }> {
  const file = files[`./pages/${page}.tsx`];
  if (!file) throw new Error(`there is no page ${page}`);
  return file;
}

async function developerGate(): Promise<ComponentType<{ children: ReactNode }>> {
  const [{ DeveloperGate }, { default: Unknown }] = await Promise.all([
    import('./staff/permissions/developer-gate.tsx'),
    fileOf(unknownPage.page)(),
  ]);
  return ({ children }) => <DeveloperGate otherwise={<Unknown />}>{children}</DeveloperGate>;
}

const bare = (pathname: string): string => pathname.replace(/(?<=.)\/$/, '');

/** Finds the page at a path; the page for unknown addresses otherwise. */
function findPage(pathname: string): PageRoute {
  return pages.find((route) => route.path === bare(pathname)) ?? unknownPage;
}

/** Fetches a page before rendering, so that the pre-rendered one stays visible until then. */
export async function fetchPage(pathname: string): Promise<void> {
  const entry = components.get(findPage(pathname).path);
  if (entry) entry.now = (await fetchPart(entry.load)).default;
}

function Page({ route }: { route: PageRoute }) {
  // Chosen once: a mounted page must not change its component when it is fetched again.
  const [{ Component }] = useState(() => {
    const entry = components.get(route.path);
    return { Component: entry?.now ?? entry?.later ?? null };
  });
  return Component ? <Component /> : null;
}

export function AppRoutes() {
  const { pathname, hash, kind } = useLocation();
  useLayoutEffect(() => {
    // On Back the browser restores the scroll position.
    if (kind !== 'pop' && hash === '') window.scrollTo({ top: 0, behavior: 'instant' });
  }, [pathname, hash, kind]);
  const business = useBusiness();
  useEffect(() => {
    const page = findPage(pathname);
    describePage({ ...page, description: fillText(page.description, business) });
  }, [pathname, business]);
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
